"""The grid of aggregation: windows (tokens), notices of the month, and questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from pydantic import Field

from longctx import Bank, Count, Scenario
from longctx.families.aggregation.protocol import QUESTIONS, Aggregation
from longctx.vocabulary.grid import WindowGrid


class AggregationGrid(WindowGrid):
    """Every question about every number of notices in every window."""

    notices: tuple[Count, ...] = (12,)
    """How many notices are of the month that is asked about: each must be classified."""
    questions: tuple[str, ...] = Field(default=QUESTIONS, min_length=1)
    """`"count"`: how many notices one agency has; `"largest"`: who has most; `"missing"`: who has none."""
    max_tokens: Count = 128
    """The most tokens of a reply."""

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window, notices, question in product(self.windows, self.notices, self.questions):
            yield Aggregation(window, notices, question, max_tokens=self.max_tokens)
