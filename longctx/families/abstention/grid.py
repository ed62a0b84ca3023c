"""The grid of abstention: records with the section that is asked about, and without it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from pydantic import Field

from longctx import Bank, Count, Scenario
from longctx.families.abstention.protocol import SECTIONS, Abstention
from longctx.families.long_context_qa.collage import OTHER_TOKENS, POSITIONS
from longctx.families.long_context_qa.grids import BankGrid, Depth
from longctx.vocabulary.grid import Size


class AbstentionGrid(BankGrid):
    """Every budget (tokens) and depth, with the section that answers and without it.

    The gate judges the two apart, in bands such as `long present` and `long absent`. trials: how many questions of a
    band are asked in each.
    """

    sizes: ClassVar[str] = "budgets"
    budgets: tuple[Size, ...] = Field(min_length=1)
    """Tokens of the record, by the reference vocabulary; or shares of the model's window."""
    longest: Count = 5000
    """Tokens: longer sections, and questions about them, are left out."""
    depths: tuple[Depth, ...] = ("middle",)
    """Where the section is, or what is in its place: `"beginning"`, `"middle"`, `"end"`, or a percentage."""
    sections: tuple[str, ...] = Field(default=SECTIONS, min_length=1)
    """`"present"`: the record holds the section that answers; `"absent"`: it does not, and right is to say so. Of a
    table with both, half of the trials need an abstention."""
    max_tokens: Count = 300
    """The most tokens of a reply."""

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        return (room - self.max_tokens - OTHER_TOKENS) / tokens["reference"]

    def gate_band(self, scenario: Scenario) -> str:
        return f"{self.band(scenario)} {scenario.params['section']}"

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for budget, depth, section in itertools.product(self.budgets, self.depths, self.sections):
            percent = POSITIONS.get(depth, depth)
            yield Abstention(budget, self.longest, percent, section, max_tokens=self.max_tokens, bank=bank)
