"""What the tables of a profile may say, family by family, and the scenarios that come of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from longctx.scenarios.bank import Bank
from longctx.scenarios.base import Scenario
from longctx.scenarios.collage import POSITIONS, VARIANTS, Collage
from longctx.scenarios.control import RECORDS, Control
from longctx.scenarios.line_retrieval import LineRetrieval
from longctx.scenarios.passkey import Passkey, spaced


def _order(value: Any) -> str | int:
    if value in ("ordered", "shuffled") or (type(value) is int and value >= 1):
        return value  # type: ignore[no-any-return]
    raise ValueError(
        'an order is "ordered", "shuffled", or a number of lines: the size of the blocks that are shuffled'
    )


def _depth(value: Any) -> str | int:
    if value in POSITIONS or (type(value) is int and 0 <= value <= 100):
        return value  # type: ignore[no-any-return]
    raise ValueError(f"a depth is {', '.join(POSITIONS)}, or a percentage of 0 to 100")


Count = Annotated[int, Field(ge=1, strict=True)]
Order = Annotated[Any, BeforeValidator(_order)]
Depth = Annotated[Any, BeforeValidator(_depth)]


class Grid(BaseModel):
    """What every family's table may say."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = Field(default=("seed",), min_length=1)
    trials: Count
    min_rate: float | None = Field(default=None, ge=0, le=1)
    bands: dict[str, Count] = {}
    """Of the gate: name -> the largest length in it (lines, or tokens). Without any, all is one band."""

    def band(self, scenario: Scenario) -> str:
        """The shortest band that holds the scenario. Raises ValueError where none does."""
        if not self.bands:
            return "all"
        holding = [(largest, name) for name, largest in self.bands.items() if scenario.length <= largest]
        if not holding:
            raise ValueError(
                f"{scenario.slug} is longer than every band: {scenario.length} against {max(self.bands.values())}."
            )
        return min(holding)[1]

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        """The table's scenarios. bank: gives the questions that the QA families ask."""
        raise NotImplementedError


class LineRetrievalGrid(Grid):
    """Every number of lines in every order; blocks larger than a file, or as large, are left out."""

    lines: tuple[Count, ...] = Field(min_length=1)
    orders: tuple[Order, ...] = ("ordered", "shuffled")
    max_tokens: Count = 10

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for order in self.orders:
            block_size = {"ordered": None, "shuffled": 1}.get(order, order)
            for lines in self.lines:
                if block_size is None or block_size < lines:
                    yield LineRetrieval(lines, block_size, max_tokens=self.max_tokens)


class PasskeyGrid(Grid):
    """`distances` values of k evenly spaced in each window (tokens)."""

    windows: tuple[Count, ...] = Field(min_length=1)
    distances: Count = 32
    max_tokens: Count = 16
    min_k_max: Count | None = None
    """Tokens: a gate holds k_max of each window that is as large against it."""

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window in self.windows:
            for k in spaced(window, self.distances):
                yield Passkey(window, k, max_tokens=self.max_tokens)


class CollageGrid(Grid):
    """Every budget (tokens), depth and variant. trials: questions, of those that passed the model's filter."""

    budgets: tuple[Count, ...] = Field(min_length=1)
    longest: Count = 5000
    depths: tuple[Depth, ...] = tuple(POSITIONS)
    variants: tuple[str, ...] = VARIANTS
    max_tokens: Count = 3000

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for budget, depth, variant in itertools.product(self.budgets, self.depths, self.variants):
            percent = POSITIONS.get(depth, depth)
            yield Collage(budget, self.longest, percent, variant, max_tokens=self.max_tokens, bank=bank)


class ControlGrid(Grid):
    """The records that questions are asked with. trials: questions, of all that there are."""

    longest: Count = 5000
    records: tuple[str, ...] = RECORDS
    max_tokens: Count = 3000

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for record in self.records:
            yield Control(self.longest, record, max_tokens=self.max_tokens, bank=bank)
