"""The grids of tracing and counting: windows (tokens), and what stands in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from longctx.families.tracing_and_counting.protocol.needles import MultipleNeedles
from longctx.families.tracing_and_counting.protocol.tracking import VariableTracking
from longctx.families.tracing_and_counting.protocol.words import FrequentWords
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.grid import Count, Grid
from longctx.vocabulary.scenario import Scenario


class VariableTrackingGrid(Grid):
    """Every number of chains of every length in every window. RULER has one chain of four hops."""

    windows: tuple[Count, ...] = Field(min_length=1)
    chains: tuple[Count, ...] = (1,)
    hops: tuple[Count, ...] = (4,)
    max_tokens: Count = 128

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window, chains, hops in product(self.windows, self.chains, self.hops):
            yield VariableTracking(window, chains, hops, max_tokens=self.max_tokens)


class Needles(BaseModel):
    """How many keys there are, with how many values each, and how many keys are asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keys: Count = 1
    values: Count = 1
    queries: Count = 1


class MultipleNeedlesGrid(Grid):
    """All needles in every window. Those of RULER are four values of one key, and four keys with one value each."""

    windows: tuple[Count, ...] = Field(min_length=1)
    needles: tuple[Needles, ...] = (Needles(values=4), Needles(keys=4, queries=4))
    max_tokens: Count = 128

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window, one in product(self.windows, self.needles):
            yield MultipleNeedles(window, one.keys, one.values, one.queries, max_tokens=self.max_tokens)


class FrequentWordsGrid(Grid):
    """Every alpha in every window. RULER has 2.0; a smaller one is harder."""

    windows: tuple[Count, ...] = Field(min_length=1)
    alphas: tuple[Annotated[float, Field(gt=1)], ...] = (2.0,)
    max_tokens: Count = 128

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window, alpha in product(self.windows, self.alphas):
            yield FrequentWords(window, round(100 * alpha), max_tokens=self.max_tokens)
