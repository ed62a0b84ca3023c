"""Latest value: what is a quantity of a log now, what was it before its last update, and when was that?

Source: C. Wang, J. V. Sun, "Unable to Forget: Proactive Interference Reveals Working Memory Limits in LLMs Beyond
Context Length" (PI-LLM), 2025, https://arxiv.org/abs/2506.08184. Texts and questions are our own: docs/protocols.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

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
    Shares,
    fill,
    mark,
    protocol,
    unanswered,
)
from longctx.protocols.passkey import LINES, line_count, line_counts, one_piece
from longctx.text import count
from longctx.vocabulary.grid import WindowAxes
from longctx.vocabulary.judging import cut_within
from longctx.vocabulary.lexical import lexically_right
from longctx.vocabulary.point import Templates
from longctx.vocabulary.stream import distinct, frozen_stream, letters, numbers

if TYPE_CHECKING:
    from longctx import Answers

QUESTIONS = "now", "before", "when"
"""The value after the last update, the value before it, and the day of the last update."""
NAME, DIGITS = 4, 6
"""The letters of a vessel's name, and the digits of a quota."""
SPREAD = 6.0
"""Four standard deviations of the tokens of an entry."""
MOST_LINES = 60_000
"""With more lines, days would have as many digits as quotas."""
NUMBER = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?!\d)|\d+", re.ASCII)
BACK, OTHER, NOWHERE = "updates_back", "of_another_quantity", "nowhere_in_the_log"
"""Keys of the trace of a wrong answer: how many updates before the right one it is from (below 0: after it), or 1 for
an answer that is from elsewhere."""


class LatestValueAxes(WindowAxes):
    """Every question about quantities with every number of updates in every window."""

    updates: tuple[Count, ...] = (1, 4, 16)
    """How often each quantity is updated after it is set."""
    questions: tuple[str, ...] = Field(default=QUESTIONS, min_length=1)
    """`"now"`: the value after the last update; `"before"`: the value before it; `"when"`: the day of the update."""
    max_tokens: Count = 64
    """The most tokens of a reply."""

    def cells(self) -> Iterator[dict[str, object]]:
        for window, updates, question in product(self.windows, self.updates, self.questions):
            yield {"window": window, "updates": updates, "question": question}


@dataclass(frozen=True, slots=True)
class LogAnswers:
    """The answers that the entries of a log give to a question."""

    own: tuple[str, ...]
    """The answers about the vessel in question: its quotas, or the days of its entries, in the order of the log."""
    place: int
    """The place of the right one."""
    others: frozenset[str]
    """The quotas, or the days, of all other entries."""

    @property
    def right(self) -> str:
        return self.own[self.place]


@dataclass(frozen=True, slots=True)
class QuotaLog:
    """A log, and the vessel that is asked about."""

    vessel: str
    places: Sequence[int]
    """The places of its entries."""
    days: Sequence[int]
    entries: Sequence[tuple[str, str]]
    """The vessel and the quota of each."""

    @classmethod
    def drawn(cls, stream: np.random.RandomState, lines: int, updates: int) -> QuotaLog:
        own, others = updates + 1, lines - updates - 1
        [vessel] = letters(stream, "A", NAME, 1)
        quotas = distinct(lambda more: numbers(stream, DIGITS, more), own)
        places = _places(stream, lines, own)
        days = np.cumsum(stream.randint(1, 3, lines, dtype=np.int64)).tolist()
        names = distinct(lambda more: _unlike(vessel, letters(stream, "A", NAME, more)), -(-others // own))
        values = distinct(lambda more: _unlike(quotas, numbers(stream, DIGITS, more)), others)
        owners = [names[number // own] for number in stream.permutation(others).tolist()]
        mine, rest = dict(zip(places, quotas, strict=True)), zip(owners, values, strict=True)
        return cls(vessel, places, days, [(vessel, mine[at]) if at in mine else next(rest) for at in range(lines)])

    def lines(self, words: Templates) -> list[str]:
        known: set[str] = set()
        lines = []
        for day, (name, value) in zip(self.days, self.entries, strict=True):
            template = words["update" if name in known else "set"]
            lines.append(fill(template, {"day": str(day), "name": name, "value": value}))
            known.add(name)
        return lines

    def answers(self, question: str) -> LogAnswers:
        said = [str(day) for day in self.days] if question == "when" else [value for _, value in self.entries]
        own = set(self.places)
        others = frozenset(answer for index, answer in enumerate(said) if index not in own)
        right = len(own) - (2 if question == "before" else 1)
        return LogAnswers(tuple(said[index] for index in self.places), right, others)


def _places(stream: np.random.RandomState, lines: int, own: int) -> list[int]:
    """Draw the places of a vessel's entries, ascending. The last may be anywhere; the others are before it.

    They are drawn as shares of the log, so that they are about the same for every tokenizer.
    """
    last = own - 1 + int(stream.random_sample() * (lines - own + 1))
    before = distinct(lambda more: (stream.random_sample(more) * last).astype(int).tolist(), own - 1)
    return [*sorted(before), last]


def _unlike(taken: str | Sequence[str], drawn: Sequence[str]) -> list[str]:
    return [each for each in drawn if each not in taken]


def around(words: Templates, question: str, vessel: str) -> tuple[str, str]:
    """Return the user's text before the log and after it."""
    before, _, after = words["prompt"].partition("{context}")
    return before, fill(after, {"question": fill(words[question], {"name": vessel})})


def _probe(words: Templates, lines: int) -> str:
    stream = frozen_stream("latest_value", "probe")
    names, values = letters(stream, "A", NAME, LINES + 1), numbers(stream, DIGITS, LINES + 1)
    days = stream.randint(1, MOST_LINES, LINES + 1)
    entries = [
        fill(words["update"], {"day": str(day), "name": name, "value": value})
        for day, name, value in zip(days, names, values, strict=True)
    ]
    before, after = around(words, max(QUESTIONS, key=lambda question: len(words[question])), names[0])
    return before + "\n".join(entries[:lines]) + after


def entry_count(cell: ProtocolCell) -> int:
    """Return how many entries fill the window. Raises ValueError if they are too few or too many."""
    lines = line_count(cell, 2 * (cell.updates + 1), SPREAD)
    if lines > MOST_LINES:
        raise ValueError(f"a window of {cell.window} tokens has {lines} entries: use at most {MOST_LINES} tokens.")
    return lines


def _validate(cell: ProtocolCell) -> None:
    if cell.question not in QUESTIONS:
        raise ValueError(f"there is no question {cell.question!r}: choose from {', '.join(QUESTIONS)}.")
    if cell.updates < 1:
        raise ValueError("a quantity that is never updated has no earlier value: use at least 1 update.")


def _back(answers: Answers) -> Counter[int]:
    """Count the answers from the same quantity, by how many updates before the right one; below 0: after it."""
    return Counter(row.trace[BACK] for row in answers.rows if BACK in row.trace)


def _stale_shares(answers: Answers) -> Iterator[tuple[int, str, tuple[int, int]]]:
    """Yield the share of stale answers by updates back, up to the first entry of the quantity."""
    back, oldest = _back(answers), answers.params["updates"] - (answers.params["question"] == "before")
    yield from ((updates, "", (back[updates], answers.n)) for updates in range(1, oldest + 1))


def _by_how_many(answers: Answers) -> str:
    stale = Counter({updates: number for updates, number in _back(answers).items() if updates > 0})
    [(updates, number)] = stale.most_common(1)
    return f"{number:,} of these by {count(updates, 'update')}"


REPORT = Report(
    x="window",
    axis="window, tokens",
    series=lambda params: f"{params['question']}, {count(params['updates'], 'update')}",
    charts=(
        Shares(
            name="stale",
            title="Stale answers, by how many updates back they are from",
            x="updates back",
            axis="updates between the answer and the right one",
            points=_stale_shares,
            facets=("window",),
            table="share of trials with a stale answer [95% interval]",
        ),
    ),
    causes=Causes(
        {
            "stale": lambda row: row.trace.get(BACK, 0) > 0,
            "too new": lambda row: row.trace.get(BACK, 0) < 0,
            "of another quantity": OTHER,
            "nowhere in the log": NOWHERE,
        },
        title="where wrong answers are from",
        details={"stale": _by_how_many},
    ),
    data=lambda answers: {
        "cell": answers.cell,
        "trials": answers.n,
        "stale": answers.count(lambda row: row.trace.get(BACK, 0) > 0),
        "by_updates_back": dict(sorted(_back(answers).items())),
        OTHER: answers.total(OTHER),
        NOWHERE: answers.total(NOWHERE),
    },
)


@protocol(
    axes=LatestValueAxes,
    title="Latest value",
    templates={
        "system": (),
        "prompt": ("context", "question"),
        "set": ("day", "name", "value"),
        "update": ("day", "name", "value"),
        **dict.fromkeys(QUESTIONS, ("name",)),
    },
    size=lambda cell, tokens: cell.window - cell.max_tokens,
    fills_window=True,
    length="window",
    context="window",
    counts=line_counts(_probe, fits=entry_count),
    pieces=lambda cell: 1,
    validate=_validate,
    report=REPORT,
)
def latest_value(
    ask: ProtocolAsk, draw: ProtocolDraw, words: Templates, cell: ProtocolCell, window: int, updates: int, question: str
) -> Outcome:
    """A log that fills a window, in which every quantity is set once and updated `updates` times.

    The entry that is asked about may be anywhere in the log; the vessel's other entries are before it or, where the
    value before is asked for, one is after it.
    """
    log = QuotaLog.drawn(draw.stream(), entry_count(cell), updates)
    lines, asked = log.lines(words), log.answers(question)
    own = [lines[place] for place in log.places]
    before, after = around(words, question, log.vessel)
    context = before + "\n".join(lines)
    text = context + after

    answer = ask(
        text,
        expected=asked.right,
        needle=own[asked.place],
        params={"entries": len(lines)},
        pieces=lambda: one_piece(context, after),
        # The vessel's name is the rarest word, so that matching words picks one of its entries: no others are compared.
        lexical=lambda: lexically_right(own, after, asked.right),
    )

    outcome = judge_answer(answer, asked, question)
    marks = mark("needle", text, own[asked.place])
    if outcome.kind == "wrong" and outcome.returned in asked.own:
        marks += mark("the entry that was answered", text, own[asked.own.index(outcome.returned)])
    return replace(outcome, marks=[*marks, Mark("question", len(context), len(text))])


def judge_answer(answer: Answer, asked: LogAnswers, question: str) -> Outcome:
    """Judge an answer by the one day or quota in it, and trace a wrong one to its entry."""
    found = [match for match in NUMBER.finditer(answer.text) if _may_answer(match[0], question)]
    if answer.stop_reason == "refusal" or not found:
        return unanswered(answer, lacks=f"no {'day' if question == 'when' else 'quota'} in the reply")
    if cut := cut_within(found[-1], answer):
        return cut
    given, *others = dict.fromkeys(match[0].replace(",", "") for match in found)
    if others:
        return Outcome("unparseable", " ".join([given, *others]), f"different answers: {', '.join([given, *others])}")
    if given == asked.right:
        return Outcome("correct", given, "the right answer")
    if given in asked.own:
        back = asked.place - asked.own.index(given)
        where = f"{abs(back)} {'update' if abs(back) == 1 else 'updates'} {'back' if back > 0 else 'later'}"
        return Outcome("wrong", given, f"{given}, not {asked.right}: {where}", {BACK: back})
    origin = OTHER if given in asked.others else NOWHERE
    return Outcome("wrong", given, f"{given}, not {asked.right}: {origin.replace('_', ' ')}", {origin: 1})


def _may_answer(number: str, question: str) -> bool:
    """Return whether a number in an answer is a day or a quota, whichever is asked for."""
    digits = len(number.replace(",", ""))
    return digits < DIGITS if question == "when" else digits >= DIGITS
