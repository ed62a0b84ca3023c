"""A bank of questions about the sections of a corpus: what the QA families draw from."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longctx.vocabulary.stream import frozen_stream

SHIPPED = "register"
"""The name of the default bank."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a corpus. tokens: its size in the reference vocabulary, frozen with the corpus."""

    id: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Item:
    """A question about one section, which it identifies in words, with one right answer and three wrong ones."""

    id: str
    section: str
    question: str
    right: str
    wrong: tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Bank:
    """Sections and the questions about them. Banks compare by identity, so that results can be cached per bank.

    Example:
        >>> def questions(bank: Bank, longest: int) -> list[str]:
        ...     return [bank.items[index].question for index in bank.order(longest)]
    """

    sections: Mapping[str, Section]
    items: tuple[Item, ...]
    digest: str
    """SHA-256 over the sections and items."""
    kept: frozenset[str]
    """The ids of the items that passed a model's "too hard" filter; without a filter, of all."""
    asked: int = 0
    """The number of items that the filter was made from; 0 without one."""
    rounds: bool = False
    """Whether every section is asked about once before any is asked about again."""

    def needle(self, index: int) -> Section:
        """Return the section that item `index` asks about."""
        return self.sections[self.items[index].section]

    @functools.cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """The indices of the items about each section, ascending."""
        places: dict[str, list[int]] = defaultdict(list)
        for index, item in enumerate(self.items):
            places[item.section].append(index)
        return places

    def item_name(self, index: int) -> str:
        """Return what identifies item `index` in a trial: its id and its bank. Raises ValueError if there is none."""
        if index >= len(self.items):
            raise ValueError(f"there is no question {index}: give 0 to {len(self.items) - 1}.")
        return f"{self.items[index].id}@{self.digest[:12]}"

    def order(self, longest: int) -> list[int]:
        """Return the indices of all items about sections of at most `longest` tokens, in a frozen random order."""
        shuffled = self.stream("order").permutation(len(self.items))
        order = [int(index) for index in shuffled if self.needle(index).tokens <= longest]
        if not self.rounds:
            return order
        asked: Counter[str] = Counter()
        rounds = {}
        for index in order:
            rounds[index] = asked[self.items[index].section]
            asked[self.items[index].section] += 1
        return sorted(order, key=rounds.__getitem__)

    def why_none(self, longest: int, filtered: bool) -> str:
        """Explain why no item is about a section of at most `longest` tokens. filtered: count the kept items only."""
        of_size = f"is about a section of at most {longest:,} tokens"
        if not (filtered and self.asked):
            return f"none of the {len(self.items):,} questions {of_size}"
        if not self.kept:
            return f"the model's filter keeps none of the {self.asked:,} questions it was made from"
        return f"the model's filter keeps {len(self.kept):,} of {self.asked:,} questions, and none of these {of_size}"

    def stream(self, *names: object) -> np.random.RandomState:
        """Return a frozen random stream that several scenarios share, unlike a trial's own."""
        return frozen_stream("bank", self.digest, *names)
