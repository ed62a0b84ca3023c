"""Latest value: what is a quantity of a log now, what was it before its last update, and when was that?

Source: C. Wang, J. V. Sun, "Unable to Forget: Proactive Interference Reveals Working Memory Limits in LLMs Beyond
Context Length" (PI-LLM), 2025, https://arxiv.org/abs/2506.08184. Texts and questions are our own: docs/protocols/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from longctx import Mark, Outcome, Reply, Trial, Words, fill, lexically_right, unanswered
from longctx.vocabulary.judging import cut_within
from longctx.vocabulary.stream import distinct, frozen_stream, letters, numbers
from longctx.vocabulary.window import LINES, LinesScenario

QUESTIONS = "now", "before", "when"
"""The value after the last update, the value before it, and the day of the last update."""
NAME, DIGITS = 4, 6
"""The letters of a vessel's name, and the digits of a quota."""
MOST_LINES = 60_000
"""With more lines, days would have as many digits as quotas."""
NUMBER = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?!\d)|\d+", re.ASCII)
BACK, OTHER, NOWHERE = "updates_back", "of_another_quantity", "nowhere_in_the_log"
"""Keys of the trace of a wrong answer: how many updates before the right one it is from (below 0: after it), or 1 for
an answer that is from elsewhere."""


@dataclass(frozen=True, slots=True)
class History:
    """The answers that the entries about the vessel give, and those of all other entries."""

    answers: tuple[str, ...]
    """The vessel's quotas, or the days of its entries, in the order of the log."""
    right: int
    """The place of the right one."""
    others: frozenset[str]
    """The quotas, or the days, of all other entries."""
    entries: tuple[tuple[int, int], ...]
    """Where the vessel's entries begin and end in the user's text."""
    question: int
    """Where the question begins."""


@dataclass(frozen=True, slots=True)
class LatestValue(LinesScenario):
    """A log that fills a window, in which every quantity is set once and updated `updates` times.

    The entry that is asked about may be anywhere in the log; the vessel's other entries are before it or, where the
    value before is asked for, one is after it.
    """

    family: ClassVar[str] = "latest_value"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("window", "updates", "question")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prompt": ("context", "question"),
        "set": ("day", "name", "value"),
        "update": ("day", "name", "value"),
        **dict.fromkeys(QUESTIONS, ("name",)),
    }
    spread: ClassVar[float] = 6.0

    updates: int
    question: str

    def __post_init__(self) -> None:
        if self.question not in QUESTIONS:
            raise ValueError(f"there is no question {self.question!r}: choose from {', '.join(QUESTIONS)}.")
        if self.updates < 1:
            raise ValueError("a quantity that is never updated has no value before: give at least 1 update.")

    @classmethod
    def probe_texts(cls, words: Words) -> Sequence[str]:
        stream = frozen_stream(cls.family, "probe")
        names, values = letters(stream, "A", NAME, LINES + 1), numbers(stream, DIGITS, LINES + 1)
        days = stream.randint(1, MOST_LINES, LINES + 1)
        lines = [
            fill(words["update"], {"day": str(day), "name": name, "value": value})
            for day, name, value in zip(days, names, values, strict=True)
        ]
        longest = max(QUESTIONS, key=lambda question: len(words[question]))
        return [_prompt(words, longest, names[0], some)[0] for some in (lines[:1], lines)]

    @property
    def least_lines(self) -> int:
        return 2 * (self.updates + 1)

    def check_room(self) -> None:
        if (lines := self.line_count()) > MOST_LINES:
            raise ValueError(f"a window of {self.window} tokens has {lines} entries: give one of {MOST_LINES} at most.")

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        lines, own = self.line_count(), self.updates + 1
        stream = self.stream(seed, index)
        [asked] = letters(stream, "A", NAME, 1)
        quotas = distinct(lambda more: numbers(stream, DIGITS, more), own)
        places = _places(stream, lines, own)
        days = np.cumsum(stream.randint(1, 3, lines, dtype=np.int64)).tolist()
        others = lines - own
        names = distinct(lambda more: _unlike(asked, letters(stream, "A", NAME, more)), -(-others // own))
        values = distinct(lambda more: _unlike(quotas, numbers(stream, DIGITS, more)), others)
        owners = [names[number // own] for number in stream.permutation(others).tolist()]
        mine, rest = dict(zip(places, quotas, strict=True)), zip(owners, values, strict=True)
        entries = [(asked, mine[place]) if place in mine else next(rest) for place in range(lines)]
        text = _log(words, days, entries)
        user, begins = _prompt(words, self.question, asked, text)
        starts = np.cumsum([begins, *(len(line) + 1 for line in text)]).tolist()
        facts = self._history(
            places, days, entries, tuple((starts[place], starts[place] + len(text[place])) for place in places), starts
        )
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=facts.answers[facts.right],
            max_tokens=self.max_tokens,
            depth=facts.entries[facts.right][0] / len(user),
            recorded={"entries": lines},
            facts=facts,
        )

    def _history(
        self,
        places: Sequence[int],
        days: Sequence[int],
        entries: Sequence[tuple[str, str]],
        spans: tuple[tuple[int, int], ...],
        starts: Sequence[int],
    ) -> History:
        said = [str(day) for day in days] if self.question == "when" else [value for _, value in entries]
        own = set(places)
        others = frozenset(answer for place, answer in enumerate(said) if place not in own)
        right = len(places) - (2 if self.question == "before" else 1)
        return History(tuple(said[place] for place in places), right, others, spans, starts[-1] - 1)

    def prefix(self, words: Words, seed: int, index: int) -> None:
        """Return None: trials share no more than the beginning of their templates."""

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        history: History = trial.facts
        found = [match for match in NUMBER.finditer(reply.text) if self._may_answer(match[0])]
        if reply.stop_reason == "refusal" or not found:
            return unanswered(reply, lacks=f"no {'day' if self.question == 'when' else 'quota'} in the reply")
        if cut := cut_within(found[-1], reply):
            return cut
        given = list(dict.fromkeys(match[0].replace(",", "") for match in found))
        if len(given) > 1:
            return Outcome("unparseable", " ".join(given), f"different answers: {', '.join(given)}")
        return _traced(history, given[0])

    def _may_answer(self, number: str) -> bool:
        """Return whether a number in a reply is a day or a quota, whichever is asked for."""
        digits = len(number.replace(",", ""))
        return digits < DIGITS if self.question == "when" else digits >= DIGITS

    def lexical(self, trial: Trial) -> bool:
        """Return whether the entry that matching words picks holds the answer.

        The vessel's name is the rarest word, so that it picks one of the vessel's entries; no others are compared.
        """
        history: History = trial.facts
        entries = [trial.user[start:end] for start, end in history.entries]
        return lexically_right(entries, trial.user[history.question :], trial.expected)

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        history: History = trial.facts
        marks = [Mark("needle", *history.entries[history.right])]
        if outcome.returned in history.answers and outcome.kind == "wrong":
            marks.append(Mark("the entry that was answered", *history.entries[history.answers.index(outcome.returned)]))
        return [*marks, Mark("question", history.question, len(trial.user))]


def _places(stream: np.random.RandomState, lines: int, own: int) -> list[int]:
    """Draw the places of a vessel's entries, ascending. The last may be anywhere; the others are before it.

    They are drawn as shares of the log, so that they are about the same for every tokenizer.
    """
    last = own - 1 + int(stream.random_sample() * (lines - own + 1))
    before = distinct(lambda more: (stream.random_sample(more) * last).astype(int).tolist(), own - 1)
    return [*sorted(before), last]


def _unlike(taken: str | Sequence[str], drawn: Sequence[str]) -> list[str]:
    return [each for each in drawn if each not in taken]


def _log(words: Words, days: Sequence[int], entries: Sequence[tuple[str, str]]) -> list[str]:
    """Return the lines of the log. entries: the vessel and its quota."""
    known: set[str] = set()
    lines = []
    for day, (name, value) in zip(days, entries, strict=True):
        lines.append(fill(words["update" if name in known else "set"], {"day": str(day), "name": name, "value": value}))
        known.add(name)
    return lines


def _prompt(words: Words, question: str, name: str, lines: Sequence[str]) -> tuple[str, int]:
    """Return the user's text, and where the log begins in it."""
    before, _, after = words["prompt"].partition("{context}")
    asked = fill(after, {"question": fill(words[question], {"name": name})})
    return before + "\n".join(lines) + asked, len(before)


def _traced(history: History, given: str) -> Outcome:
    """Return the outcome of an answer, traced to the entry that it is from."""
    right = history.answers[history.right]
    if given == right:
        return Outcome("correct", given, "the right answer")
    if given in history.answers:
        back = history.right - history.answers.index(given)
        where = f"{abs(back)} {'update' if abs(back) == 1 else 'updates'} {'back' if back > 0 else 'later'}"
        return Outcome("wrong", given, f"{given}, not {right}: {where}", {BACK: back})
    origin = OTHER if given in history.others else NOWHERE
    return Outcome("wrong", given, f"{given}, not {right}: {origin.replace('_', ' ')}", {origin: 1})
