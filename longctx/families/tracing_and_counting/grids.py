"""The grids of tracing and counting: windows (tokens), and what is in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from longctx import Bank, Count, Scenario
from longctx.families.tracing_and_counting.protocol.needles import MultipleNeedles
from longctx.families.tracing_and_counting.protocol.tracking import VariableTracking
from longctx.families.tracing_and_counting.protocol.words import FrequentWords
from longctx.vocabulary.grid import QUESTIONS, WindowGrid, questions_of


class VariableTrackingGrid(WindowGrid):
    """Every number of chains of every length in every window. RULER has one chain of four hops."""

    chains: tuple[Count, ...] = (1,)
    """How many chains of variables are in the text."""
    hops: tuple[Count, ...] = (4,)
    """How many assignments after its first each chain has."""
    questions: int = QUESTIONS
    """How many trials ask about one text, each about another of its chains."""
    max_tokens: Count = 128
    """The most tokens of a reply."""

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window, chains, hops in product(self.windows, self.chains, self.hops):
            questions, most = questions_of(self.questions), self.max_tokens
            yield VariableTracking(window, chains, hops, questions=questions, max_tokens=most)


class Needles(BaseModel):
    """How many keys there are, with how many values each, and how many keys are asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    keys: Count = 1
    """How many keys are in the text."""
    values: Count = 1
    """How many values each key has."""
    queries: Count = 1
    """How many keys are asked for."""


class MultipleNeedlesGrid(WindowGrid):
    """All needles in every window. Those of RULER are four values of one key, and four keys with one value each."""

    needles: tuple[Needles, ...] = (Needles(values=4), Needles(keys=4, queries=4))
    """Tables of `keys`, `values` of each, and `queries`: the keys that are asked for."""
    questions: int = QUESTIONS
    """How many trials ask about one text, each for other keys."""
    max_tokens: Count = 128
    """The most tokens of a reply."""

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window, needles in product(self.windows, self.needles):
            numbers, questions = (needles.keys, needles.values, needles.queries), questions_of(self.questions)
            yield MultipleNeedles(window, *numbers, questions=questions, max_tokens=self.max_tokens)


class FrequentWordsGrid(WindowGrid):
    """Every alpha in every window. RULER has 2.0; a smaller one is harder."""

    alphas: tuple[Annotated[float, Field(gt=1)], ...] = (2.0,)
    """How fast the words' frequencies fall: a smaller one is harder."""
    max_tokens: Count = 128
    """The most tokens of a reply."""

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window, alpha in product(self.windows, self.alphas):
            yield FrequentWords(window, round(100 * alpha), max_tokens=self.max_tokens)
