"""The grid of latest values: windows (tokens), numbers of updates, and questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from pydantic import Field

from longctx import Bank, Count, Scenario
from longctx.families.latest_value.protocol import QUESTIONS, LatestValue
from longctx.vocabulary.grid import WindowGrid


class LatestValueGrid(WindowGrid):
    """Every question about quantities with every number of updates in every window."""

    updates: tuple[Count, ...] = (1, 4, 16)
    """How often each quantity is updated after it is set."""
    questions: tuple[str, ...] = Field(default=QUESTIONS, min_length=1)
    """`"now"`: the value after the last update; `"before"`: the value before it; `"when"`: the day of the update."""
    max_tokens: Count = 64
    """The most tokens of a reply."""

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window, updates, question in product(self.windows, self.updates, self.questions):
            yield LatestValue(window, updates, question, max_tokens=self.max_tokens)
