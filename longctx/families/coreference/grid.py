"""The grid of the coreference family: numbers of alike texts, and windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pydantic import Field

from longctx import Bank, Count, Scenario
from longctx.families.coreference.protocol import Coreference
from longctx.vocabulary.grid import QUESTIONS, WindowGrid, questions_of


class CoreferenceGrid(WindowGrid):
    """Every number of alike texts in every window (tokens)."""

    needles: tuple[Count, ...] = Field(default=(2, 4, 8), min_length=1)
    """How many texts answer the same request."""
    questions: int = QUESTIONS
    """How many trials ask about one conversation, each about another request with as many alike texts."""
    max_tokens: Count = 200
    """The most tokens of a reply."""

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for needles in self.needles:
            for window in self.windows:
                yield Coreference(needles, window, questions=questions_of(self.questions), max_tokens=self.max_tokens)
