"""The grid of short answers: records of several sizes, places of the section, and numbers of distractors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from pydantic import Field

from longctx import Bank, Count, Scenario
from longctx.families.long_context_qa.collage import OTHER_TOKENS, POSITIONS
from longctx.families.long_context_qa.grids import BankGrid, Depth, Distractors
from longctx.families.short_answers.protocol import ShortAnswers
from longctx.vocabulary.grid import Size


class ShortAnswersGrid(BankGrid):
    """Every budget (tokens), depth and number of distractors. trials: how many questions are asked."""

    sizes: ClassVar[str] = "budgets"
    budgets: tuple[Size, ...] = Field(min_length=1)
    """Tokens of the record, by the reference vocabulary; or shares of the model's window."""
    longest: Count = 5000
    """Tokens: longer sections, and questions about them, are left out."""
    depths: tuple[Depth, ...] = ("middle",)
    """Where the section is: `"beginning"`, `"middle"`, `"end"`, or a percentage."""
    distractors: Distractors = (None,)
    """How many sections resemble that of the question in words and do not answer it, as in long-context QA."""
    max_tokens: Count = 64
    """The most tokens of a reply."""

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        return (room - self.max_tokens - OTHER_TOKENS) / tokens["reference"]

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for budget, depth, distractors in itertools.product(self.budgets, self.depths, self.distractors):
            percent = POSITIONS.get(depth, depth)
            yield ShortAnswers(
                budget, self.longest, percent, max_tokens=self.max_tokens, bank=bank, distractors=distractors
            )
