"""Aggregation: of notices that do not name their agency, count those of one, or find who has the most, or none.

Source: A. Bertsch, A. Pratapa, T. Mitamura, G. Neubig, M. R. Gormley, "OOLONG: Evaluating Long Context Reasoning and
Aggregation Capabilities", 2025, https://arxiv.org/abs/2511.02817, and its partial credit for counts. Texts and
questions are our own: docs/protocols.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from longctx import (
    Answer,
    Causes,
    Count,
    Mark,
    Outcome,
    ProtocolAsk,
    ProtocolCell,
    ProtocolDraw,
    Report,
    Reported,
    fill,
    protocol,
    unanswered,
)
from longctx.protocols.collages import AGENCIES, MONTHS, Date, drawn_text
from longctx.protocols.passkey import LINES, line_count, line_counts, one_piece
from longctx.vocabulary.grid import WindowAxes
from longctx.vocabulary.judging import cut_within
from longctx.vocabulary.point import CREDIT, Templates
from longctx.vocabulary.stream import distinct, frozen_stream

if TYPE_CHECKING:
    from longctx import Row

QUESTIONS = "count", "largest", "missing"
"""How many notices one agency has in a month, which agency has most, and which have none."""
OFF = "off"
"""The key of a trace: by how much a count is too high."""
A_STEP = 0.75
"""The partial credit of a count that is off by 1; off by 2 it is the square of that, as in OOLONG."""
MOST_MISSING = 3
FIRST_YEAR = 1950
SPREAD = 16.0
"""Four standard deviations of the tokens of a notice."""
GUESSING = 0.24
"""Always 0 of 12 notices: the most that a constant answer reaches of any question."""
WORDED = {word: number for number, word in enumerate("zero one two three four five six seven eight nine ten".split())}


class AggregationAxes(WindowAxes):
    """Every question about every number of notices in every window."""

    notices: tuple[Count, ...] = (12,)
    """The number of notices of the month in question; each must be classified."""
    questions: tuple[str, ...] = Field(default=QUESTIONS, min_length=1)
    """`"count"`: how many notices one agency has; `"largest"`: who has most; `"missing"`: who has none."""
    max_tokens: Count = 128
    """The most tokens of a reply."""

    def cells(self) -> Iterator[dict[str, object]]:
        for window, notices, question in product(self.windows, self.notices, self.questions):
            yield {"window": window, "notices": notices, "question": question}


@dataclass(frozen=True, slots=True)
class Notices:
    """The notices of a prompt, each with its date and its text."""

    dated: Sequence[tuple[Date, str]]
    places: Sequence[int]
    """The places of the notices of the month in question."""
    month: str
    counts: Sequence[int]
    """The notices of the month, by agency, in the order of the prompt."""
    counted: int
    """The agency whose notices are to be counted."""

    @classmethod
    def drawn(cls, stream: np.random.RandomState, lines: int, notices: int) -> Notices:
        counts = _counts(stream, notices)
        counted = _any_count(stream, counts)
        whose = stream.permutation(np.repeat(np.arange(len(AGENCIES)), counts)).tolist()
        places = sorted(distinct(lambda more: (stream.random_sample(more) * lines).astype(int).tolist(), notices))
        months = max(lines // notices, 2)
        first = FIRST_YEAR * 12 + int(stream.randint(12, dtype=np.int64))
        month = int(stream.random_sample() * months)
        dated = []
        agencies_by_place = dict(zip(places, whose, strict=True))
        for place in range(lines):
            if place in agencies_by_place:
                date, agency = Date.drawn(stream, first + month), agencies_by_place[place]
            else:
                other = (month + 1 + int(stream.randint(months - 1, dtype=np.int64))) % months
                date, agency = Date.drawn(stream, first + other), int(stream.randint(len(AGENCIES), dtype=np.int64))
            dated.append((date, drawn_text(AGENCIES[agency], stream)))
        return cls(dated, places, Date(first + month, 1).month_name, counts, counted)

    def right(self, question: str) -> tuple[str, ...]:
        """Return the right answer: a number, the name of an agency, or several names."""
        match question:
            case "count":
                return (str(self.counts[self.counted]),)
            case "largest":
                return (AGENCIES[self.counts.index(max(self.counts))].name,)
            case _:
                return tuple(agency.name for agency, count in zip(AGENCIES, self.counts, strict=True) if not count)


def _counts(stream: np.random.RandomState, notices: int) -> list[int]:
    """Draw how many notices of the month each agency has: some have none, and one has the most."""
    missing = 1 + int(stream.randint(MOST_MISSING, dtype=np.int64))
    present = stream.permutation(len(AGENCIES))[missing:].tolist()
    while True:
        drawn = Counter(present)
        drawn.update(present[place] for place in stream.randint(0, len(present), notices - len(present), np.int64))
        counts = [drawn[agency] for agency in range(len(AGENCIES))]
        if counts.count(max(counts)) == 1:
            return counts


def _any_count(stream: np.random.RandomState, counts: Sequence[int]) -> int:
    """Draw the agency that is counted, each number of notices as often as any other: no number is a good guess."""
    number = sorted(set(counts))[stream.randint(len(set(counts)), dtype=np.int64)]
    having = [agency for agency, count in enumerate(counts) if count == number]
    return having[stream.randint(len(having), dtype=np.int64)]


def _line(words: Templates, date: Date, text: str) -> str:
    return fill(words["notice"], {"date": str(date), "text": text})


def _around(words: Templates, question: str, month: str, agency: str) -> tuple[str, str]:
    """Return the user's text before the notices and after them."""
    before, _, after = words["prompt"].partition("{context}")
    listed = "\n".join(fill(words["agency"], {"name": each.name, "remit": each.remit}) for each in AGENCIES)
    asked = fill(words[question], {"month": month, "agency": agency})
    return fill(before, {"agencies": listed}), fill(after, {"question": asked})


def _probe(words: Templates, lines: int) -> str:
    stream = frozen_stream("aggregation", "probe")
    dated = [
        (Date.drawn(stream, FIRST_YEAR * 12 + number), drawn_text(AGENCIES[number % len(AGENCIES)], stream))
        for number in range(LINES + 1)
    ]
    longest = max(QUESTIONS, key=lambda question: len(words[question]))
    before, after = _around(words, longest, "September 1999", max((agency.name for agency in AGENCIES), key=len))
    return before + "\n".join(_line(words, *notice) for notice in dated[:lines]) + after


def notice_count(cell: ProtocolCell) -> int:
    """Return how many notices fill the window. Raises ValueError if they are too few."""
    return line_count(cell, 2 * cell.notices, SPREAD)


def _validate(cell: ProtocolCell) -> None:
    if cell.question not in QUESTIONS:
        raise ValueError(f"there is no question {cell.question!r}: choose from {', '.join(QUESTIONS)}.")
    if cell.notices < len(AGENCIES):
        raise ValueError(
            f"with {cell.notices} notices no agency may have the most: use at least {len(AGENCIES)} (`notices`)."
        )


def _mean_credit(rows: Sequence[Row]) -> float:
    """Return the mean partial credit, which is 0 for a reply without an answer."""
    return sum(row.trace.get(CREDIT, 0) for row in rows) / 1000 / len(rows)


def _too_low(row: Row) -> bool:
    return row.trace.get(OFF, 0) < 0


def _too_high(row: Row) -> bool:
    return row.trace.get(OFF, 0) > 0


def credits_of_both(before: Sequence[Row], after: Sequence[Row], grids: Sequence[Any]) -> Iterator[Reported]:
    """Yield the mean partial credit of each cell before and now, over the trials that both runs measured.

    None if the baseline was saved before baselines kept credits.
    """
    if not any(CREDIT in row.trace for row in before):
        return
    earlier = {(row.cell, row.seed, row.trial): row for row in before}
    both: dict[str, list[tuple[Row, Row]]] = {}
    for row in after:
        was = earlier.get((row.cell, row.seed, row.trial))
        if was:
            both.setdefault(row.cell, []).append((was, row))
    for cell, pairs in both.items():
        credits = [_mean_credit(rows) for rows in zip(*pairs, strict=True)]
        yield Reported(
            kind="partial_credit",
            data={"cell": cell, "mean_credit": credits, "trials": len(pairs)},
            table="Mean partial credit, which has no verdict of its own: strict answers are judged",
            cells={
                "cell": cell,
                **{when: f"{credit:.2f}" for when, credit in zip(("before", "now"), credits, strict=True)},
                "trials": f"{len(pairs):,}",
            },
        )


REPORT = Report(
    x="window",
    axis="window, tokens",
    series=lambda params: f"{params['question']}, {params['notices']} notices",
    rate="right",
    columns={"mean partial credit": lambda answers: f"{_mean_credit(answers.rows):.2f}"},
    causes=Causes(
        {"too low": _too_low, "too high": _too_high},
        of="wrong counts",
        title="which way wrong counts are off",
        share=0.8,
    ),
    data=lambda answers: {
        "cell": answers.cell,
        "trials": answers.n,
        "mean_credit": _mean_credit(answers.rows),
        "too_low": answers.count(_too_low),
        "too_high": answers.count(_too_high),
    },
    gate=credits_of_both,
)


@protocol(
    axes=AggregationAxes,
    title="Aggregation",
    templates={
        "system": (),
        "prompt": ("agencies", "context", "question"),
        "agency": ("name", "remit"),
        "notice": ("date", "text"),
        "count": ("month", "agency"),
        "largest": ("month",),
        "missing": ("month",),
    },
    size=lambda cell, tokens: cell.window - cell.max_tokens,
    fills_window=True,
    length="window",
    context=None,
    guessing=GUESSING,
    counts=line_counts(_probe, fits=notice_count),
    pieces=lambda cell: 1,
    validate=_validate,
    report=REPORT,
)
def aggregation(
    ask: ProtocolAsk, draw: ProtocolDraw, words: Templates, cell: ProtocolCell, window: int, notices: int, question: str
) -> Outcome:
    """Notices that fill a window, `notices` of which are of the month that is asked about."""
    drawn = Notices.drawn(draw.stream(), notice_count(cell), notices)
    lines, right = [_line(words, *notice) for notice in drawn.dated], drawn.right(question)
    before, after = _around(words, question, drawn.month, AGENCIES[drawn.counted].name)
    context = before + "\n".join(lines)
    text = context + after

    answer = ask(
        text,
        expected=", ".join(right),
        params={"lines": len(lines)},
        pieces=lambda: one_piece(context, after),
    )

    starts = np.cumsum([len(before), *(len(line) + 1 for line in lines)]).tolist()
    marks = [Mark("notice of the month", at := starts[place], at + len(lines[place])) for place in drawn.places]
    return replace(judge_answer(answer, right, question), marks=[*marks, Mark("question", len(context), len(text))])


def judge_answer(answer: Answer, right: Sequence[str], question: str) -> Outcome:
    """Judge an answer by the number in it, or by the agencies that it names."""
    if answer.stop_reason == "refusal":
        return unanswered(answer)
    if question == "count":
        return _judged_count(int(right[0]), answer)
    return _judged_names(right, answer, question == "largest")


def _judged_count(right: int, answer: Answer) -> Outcome:
    """Judge the number in an answer, in digits or in a word; numbers of dates do not count."""
    text = re.sub(rf"\b({'|'.join(MONTHS)})\b(\s+\d{{1,2}}\b,?)?(\s+\d{{4}})?", " ", answer.text)
    found = list(re.finditer(rf"\d+|\b(?:{'|'.join(WORDED)})\b", text, re.ASCII | re.IGNORECASE))
    if not found:
        return unanswered(answer)
    if cut := cut_within(found[-1], replace(answer, text=text)):
        return cut
    numbers = list(dict.fromkeys(_number(match[0]) for match in found))
    if len(numbers) > 1:
        named = ", ".join(map(str, numbers))
        return Outcome("unparseable", named, f"different answers: {named}")
    off = numbers[0] - right
    trace = {CREDIT: round(1000 * A_STEP ** abs(off)), OFF: off}
    return Outcome("wrong" if off else "correct", str(numbers[0]), f"{numbers[0]}, and {right} is right", trace)


def _number(said: str) -> int:
    """Return a number in digits or in a word; one of more than six digits, which counts nothing here, as a million."""
    return WORDED.get(said.lower(), int(said) if said.isdigit() and len(said) <= 6 else 10**6)


def _judged_names(right: Sequence[str], answer: Answer, only_one: bool) -> Outcome:
    """Judge the agencies that an answer names. only_one: whether one is asked for."""
    said = " ".join(answer.text.split()).casefold()
    named = [agency.name for agency in AGENCIES if agency.name.casefold() in said]
    if not named:
        return unanswered(answer, lacks="no agency in the reply")
    if only_one and len(named) > 1:
        return Outcome("unparseable", ", ".join(named), f"different answers: {', '.join(named)}")
    found = len({*named} & {*right})
    credit = round(1000 * 2 * found / (len(named) + len(right)))
    why = f"{found} of {len(right)} agencies are named, and {len(named) - found} others"
    if found == len(right) == len(named):
        return Outcome("correct", ", ".join(named), why, {CREDIT: credit})
    cut = answer.cut_off and found == len(named)
    return Outcome("truncated" if cut else "wrong", ", ".join(named), why, {CREDIT: credit})
