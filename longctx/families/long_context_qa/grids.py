"""The grids of long-context QA: collages, and the controls of their questions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from longctx.families.long_context_qa.collage import POSITIONS, VARIANTS, Collage
from longctx.families.long_context_qa.control import RECORDS, Control
from longctx.vocabulary.bank import SHIPPED, Bank
from longctx.vocabulary.grid import Count, Grid
from longctx.vocabulary.scenario import Scenario


def _depth(value: Any) -> str | int:
    if value in POSITIONS or (type(value) is int and 0 <= value <= 100):
        return value  # type: ignore[no-any-return]
    raise ValueError(f"a depth is {', '.join(POSITIONS)}, or a percentage of 0 to 100")


Depth = Annotated[Any, BeforeValidator(_depth)]


class _BankGrid(Grid):
    """bank: the name of documents and questions, fixtures/NAME and fixtures/questions/NAME.jsonl."""

    bank: str = Field(default=SHIPPED, min_length=1)

    @property
    def draws_on(self) -> str:
        return self.bank


class CollageGrid(_BankGrid):
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


class ControlGrid(_BankGrid):
    """The records that questions are asked with. trials: questions, of all that there are."""

    longest: Count = 5000
    records: tuple[str, ...] = RECORDS
    max_tokens: Count = 3000

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for record in self.records:
            yield Control(self.longest, record, max_tokens=self.max_tokens, bank=bank)
