"""Aggregation: notices that do not name their agency; how many of a month are of one, which has most, which has none?

Source: A. Bertsch, A. Pratapa, T. Mitamura, G. Neubig, M. R. Gormley, "OOLONG: Evaluating Long Context Reasoning and
Aggregation Capabilities", 2025, https://arxiv.org/abs/2511.02817, and its partial credit for counts. Texts and
questions are our own: docs/protocols/.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from longctx import Kind, Mark, Outcome, Reply, Trial, Words, fill, unanswered
from longctx.families.aggregation.texts import AGENCIES, MONTHS, Date, drawn_text
from longctx.vocabulary.judging import cut_within
from longctx.vocabulary.scenario import CREDIT
from longctx.vocabulary.stream import distinct, frozen_stream
from longctx.vocabulary.window import LINES, LinesScenario

QUESTIONS = "count", "largest", "missing"
"""How many notices one agency has in a month, which agency has most, and which have none."""
OFF = "off"
"""The key of a trace: by how much a count is too high."""
A_STEP = 0.75
"""The partial credit of a count that is off by 1; off by 2 it is the square of that, as in OOLONG."""
MOST_MISSING = 3
FIRST_YEAR = 1950
WORDED = {word: number for number, word in enumerate("zero one two three four five six seven eight nine ten".split())}


@dataclass(frozen=True, slots=True)
class Notices:
    """What a trial's judge needs. counts: the notices of the month, by agency, in the order of the prompt."""

    counts: tuple[int, ...]
    right: tuple[str, ...]
    """The right answer: a number, the name of an agency, or several names."""
    lines: tuple[tuple[int, int], ...]
    """Where the notices of the month begin and end in the user's text."""
    question: int
    """Where the question begins."""


@dataclass(frozen=True, slots=True)
class Aggregation(LinesScenario):
    """Notices that fill a window, `notices` of which are of the month that is asked about."""

    family: ClassVar[str] = "aggregation"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("window", "notices", "question")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prompt": ("agencies", "context", "question"),
        "agency": ("name", "remit"),
        "notice": ("date", "text"),
        "count": ("month", "agency"),
        "largest": ("month",),
        "missing": ("month",),
    }
    spread: ClassVar[float] = 16.0

    notices: int
    question: str

    def __post_init__(self) -> None:
        if self.question not in QUESTIONS:
            raise ValueError(f"there is no question {self.question!r}: choose from {', '.join(QUESTIONS)}.")
        if self.notices < len(AGENCIES):
            raise ValueError(
                f"of {self.notices} notices no agency may have the most: give at least {len(AGENCIES)} (`notices`)."
            )

    @classmethod
    def probe_texts(cls, words: Words) -> Sequence[str]:
        stream = frozen_stream(cls.family, "probe")
        lines = [
            _line(words, Date.drawn(stream, FIRST_YEAR * 12 + number), number % len(AGENCIES), stream)
            for number in range(LINES + 1)
        ]
        longest = max(QUESTIONS, key=lambda question: len(words[question]))
        asked = {"month": "September 1999", "agency": max((agency.name for agency in AGENCIES), key=len)}
        return [_prompt(words, fill(words[longest], asked), some)[0] for some in (lines[:1], lines)]

    @property
    def least_lines(self) -> int:
        return 2 * self.notices

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        lines, stream = self.line_count(), self.stream(seed, index)
        counts = _counts(stream, self.notices)
        asked = _any_count(stream, counts)
        whose = stream.permutation(np.repeat(np.arange(len(AGENCIES)), counts)).tolist()
        places = sorted(distinct(lambda more: (stream.random_sample(more) * lines).astype(int).tolist(), self.notices))
        months = max(lines // self.notices, 2)
        first = FIRST_YEAR * 12 + int(stream.randint(12, dtype=np.int64))
        month = int(stream.random_sample() * months)
        text = []
        of_month = dict(zip(places, whose, strict=True))
        for place in range(lines):
            if place in of_month:
                date, agency = Date.drawn(stream, first + month), of_month[place]
            else:
                other = (month + 1 + int(stream.randint(months - 1, dtype=np.int64))) % months
                date, agency = Date.drawn(stream, first + other), int(stream.randint(len(AGENCIES), dtype=np.int64))
            text.append(_line(words, date, agency, stream))
        named = {"month": Date(first + month, 1).month_name, "agency": AGENCIES[asked].name}
        user, begins = _prompt(words, fill(words[self.question], named), text)
        starts = np.cumsum([begins, *(len(line) + 1 for line in text)]).tolist()
        right = self._right(counts, asked)
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=", ".join(right),
            max_tokens=self.max_tokens,
            depth=0.0,
            recorded={"lines": lines},
            facts=Notices(
                tuple(counts),
                right,
                tuple((starts[place], starts[place] + len(text[place])) for place in places),
                starts[-1] - 1,
            ),
        )

    def _right(self, counts: Sequence[int], asked: int) -> tuple[str, ...]:
        match self.question:
            case "count":
                return (str(counts[asked]),)
            case "largest":
                return (AGENCIES[counts.index(max(counts))].name,)
            case _:
                return tuple(agency.name for agency, count in zip(AGENCIES, counts, strict=True) if not count)

    def prefix(self, words: Words, seed: int, index: int) -> None:
        """Return None: trials share no more than the beginning of their templates."""

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        if reply.stop_reason == "refusal":
            return unanswered(reply)
        right: tuple[str, ...] = trial.facts.right
        if self.question == "count":
            return _judged_count(int(right[0]), reply)
        return _judged_names(right, reply, self.question == "largest")

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        notices: Notices = trial.facts
        shown = [Mark("notice of the month", *line) for line in notices.lines]
        return [*shown, Mark("question", notices.question, len(trial.user))]


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


def _line(words: Words, date: Date, agency: int, stream: np.random.RandomState) -> str:
    return fill(words["notice"], {"date": str(date), "text": drawn_text(AGENCIES[agency], stream)})


def _prompt(words: Words, question: str, lines: Sequence[str]) -> tuple[str, int]:
    """Return the user's text, and where the notices begin in it."""
    before, _, after = words["prompt"].partition("{context}")
    listed = "\n".join(fill(words["agency"], {"name": each.name, "remit": each.remit}) for each in AGENCIES)
    before = fill(before, {"agencies": listed})
    return before + "\n".join(lines) + fill(after, {"question": question}), len(before)


def _judged_count(right: int, reply: Reply) -> Outcome:
    """Judge the number in a reply, in digits or in a word; numbers of dates do not count."""
    text = re.sub(rf"\b({'|'.join(MONTHS)})\b(\s+\d{{1,2}}\b,?)?(\s+\d{{4}})?", " ", reply.text)
    found = list(re.finditer(rf"\d+|\b(?:{'|'.join(WORDED)})\b", text, re.ASCII | re.IGNORECASE))
    if not found:
        return unanswered(reply)
    if cut := cut_within(found[-1], replace(reply, text=text)):
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


def _judged_names(right: Sequence[str], reply: Reply, only_one: bool) -> Outcome:
    """Judge the agencies that a reply names. only_one: whether one is asked for."""
    said = " ".join(reply.text.split()).casefold()
    named = [agency.name for agency in AGENCIES if agency.name.casefold() in said]
    if not named:
        return unanswered(reply, lacks="no agency in the reply")
    if only_one and len(named) > 1:
        return Outcome("unparseable", ", ".join(named), f"different answers: {', '.join(named)}")
    found = len({*named} & {*right})
    credit = round(1000 * 2 * found / (len(named) + len(right)))
    why = f"{found} of {len(right)} agencies are named, and {len(named) - found} others"
    if found == len(right) == len(named):
        return Outcome("correct", ", ".join(named), why, {CREDIT: credit})
    kind: Kind = "truncated" if reply.cut_off and found == len(named) else "wrong"
    return Outcome(kind, ", ".join(named), why, {CREDIT: credit})
