"""The best constant answer to multiple-choice questions: the letter that is right most often, and how often it is.

A model that gives this letter whatever it is asked has its share as accuracy, which may be well above one in the number
of choices: a filter may have selected the questions, or the letters were not drawn evenly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longctx.results.row import Row

if TYPE_CHECKING:
    from longctx.vocabulary.declaration import Protocol

CHOICES = "choices"
"""The number in the trace of a test function's trial that read a letter with `choice`: among how many."""
NOTABLE = 0.05
"""How far above one in the number of choices its share is reported."""


@dataclass(frozen=True, slots=True)
class ConstantAnswer:
    """The answer that is right most often."""

    answer: str
    right: int
    n: int
    """The trials whose right answer is known."""
    choices: int
    """Among how many answers each trial chooses."""

    @property
    def share(self) -> float:
        """The accuracy of giving it always."""
        return self.right / self.n

    @property
    def notable(self) -> bool:
        return self.share > 1 / self.choices + NOTABLE

    def __str__(self) -> str:
        return f"{self.answer} {self.share:.2f}"


def choices_of(rows: Iterable[Row], declared: int = 0) -> tuple[int, Mapping[str, int]]:
    """Return among how many answers these trials choose, and how often each is right; 0 and none if they choose none.

    declared: the choices of their protocol; 0 for test functions, whose rows have a trace of them.
    """
    chosen = [row for row in rows if row.expected and (declared or CHOICES in row.trace) and row.measured]
    choices = declared or max((row.trace[CHOICES] for row in chosen), default=0)
    return choices, Counter(str(row.expected) for row in chosen)


def best_constant(choices: int, right: Mapping[str, int]) -> ConstantAnswer | None:
    """Return the answer that is right most often; None without choices. right: how often each answer is right."""
    if choices < 2 or not right:
        return None
    answer, count = min(right.items(), key=lambda entry: (-entry[1], entry[0]))
    return ConstantAnswer(answer, count, sum(right.values()), choices)


def notable_constant(rows: Iterable[Row], declared: int = 0) -> ConstantAnswer | None:
    """Return the best constant answer of these trials if it is notable."""
    best = best_constant(*choices_of(rows, declared))
    return best if best and best.notable else None


def guessing_of(test: Protocol | None, *sides: Sequence[Row], stated: float = 0.0) -> float:
    """Return the accuracy of guessing: the test's, or without a test the highest that the rows or the user state.

    The best constant answer may reach more. sides: the rows of each run; a baseline's do not tell right answers.
    """
    constants = (notable_constant(rows, test.choices if test else 0) for rows in sides)
    constant = max((each.share for each in constants if each), default=0.0)
    if test is not None:
        return max(test.guessing, constant)
    said = (sum(row.guessing or 0.0 for row in rows) / len(rows) for rows in sides if rows)
    return max([stated, constant, *said])
