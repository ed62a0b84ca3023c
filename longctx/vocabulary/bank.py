"""A bank of questions about the sections of a corpus: what the QA tests draw from."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from longctx.errors import closest
from longctx.vocabulary.point import Identity, is_number
from longctx.vocabulary.stream import frozen_stream

SHIPPED = "register"
"""The name of the default bank."""
VERSION: Final = 2
"""The present way to draw from a bank. With version 1, each draw depends on all documents and all questions."""
LIVING = "questions"
"""The key of a model's filter of all banks that are drawn with the present version."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a corpus."""

    id: str
    text: str
    tokens: int
    """Its size in the reference vocabulary, frozen with the corpus."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question about one section, which it identifies in words, with one right answer and three wrong ones."""

    id: str
    section: str
    question: str
    right: str
    wrong: tuple[str, str, str]
    accepted: tuple[str, ...] = ()
    """Other forms of the right answer, for those who answer without choices."""

    @property
    def digest(self) -> str:
        """The first 12 hexadecimal digits of the SHA-256 over the question and its answers."""
        text = json.dumps([self.question, self.right, *self.wrong])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True, eq=False)
class Bank:
    """Sections of documents and the questions about them. Banks compare by identity, so results can be cached per bank.

    Example:
        >>> def questions(bank: Bank, longest: int) -> list[str]:
        ...     return [bank.items[index].question for index in bank.order(longest)]
    """

    sections: Mapping[str, Section]
    """The sections by their ids."""
    items: tuple[Item, ...]
    """The questions, in the order of their file."""
    digest: str
    """SHA-256 over the sections and items."""
    kept: frozenset[str]
    """The ids of the items that passed a model's "too hard" filter; without a filter, of all."""
    asked: int = 0
    """The number of items that the filter was made from; 0 without one."""
    rounds: bool = False
    """Whether every section is asked about once before any is asked about again."""
    literal: bool = True
    """Whether right answers share words with their sections."""
    version: int = VERSION
    """How trials are drawn. With version 2, a draw depends only on what it draws: sections and questions are ranked by
    a hash, so that another document or another question changes only the trials that it is drawn for."""

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

    @functools.cached_property
    def digests(self) -> Mapping[str, str]:
        """The first 12 hexadecimal digits of the SHA-256 of each section's text."""
        return {
            name: hashlib.sha256(section.text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            for name, section in self.sections.items()
        }

    def item_name(self, index: int) -> str:
        """Return what identifies item `index` in a trial: its id and its digest; with version 1, that of the bank.

        Raises ValueError if there is none.
        """
        if index >= len(self.items):
            raise ValueError(f"there is no question {index}: use 0 to {len(self.items) - 1}.")
        return self._names[index]

    @functools.cached_property
    def _names(self) -> Sequence[str]:
        return [f"{item.id}@{self.digest[:12] if self.version == 1 else item.digest}" for item in self.items]

    def index_of(self, name: str) -> int:
        """Return the index of the item with this id, or with this number in its file. Raises ValueError."""
        if (index := self._indices.get(name)) is not None:
            return index
        if is_number(name):
            self.item_name(int(name))
            return int(name)
        hint = closest(name, list(self._indices))
        raise ValueError(f"there is no question {name!r}{f': did you mean {hint!r}?' if hint else ''}")

    @functools.cached_property
    def _indices(self) -> Mapping[str, int]:
        return {item.id: index for index, item in enumerate(self.items)}

    def named(self, identity: Identity, index: int) -> Identity:
        """Return the identity of a trial about item `index`: an item keeps it when others are added before it."""
        trial = index if self.version == 1 else 0
        return replace(identity, version=self.version, trial=trial, item=self.item_name(index))

    def keeps(self, index: int) -> bool:
        """Return whether the model's filter keeps item `index`."""
        return (self.items[index].id if self.version == 1 else self.item_name(index)) in self.kept

    @property
    def filter_key(self) -> str:
        """What the bank's filters are filed under."""
        return self.digest if self.version == 1 else LIVING

    def order(self, longest: int) -> list[int]:
        """Return the indices of all items about sections of at most `longest` tokens, in a reproducible random
        order."""
        order = [index for index in self._shuffled if self.needle(index).tokens <= longest]
        if not self.rounds:
            return order
        asked: Counter[str] = Counter()
        rounds = {}
        for index in order:
            rounds[index] = asked[self.items[index].section]
            asked[self.items[index].section] += 1
        return sorted(order, key=rounds.__getitem__)

    @functools.cached_property
    def _shuffled(self) -> Sequence[int]:
        if self.version == 1:
            return [int(index) for index in self.stream("order").permutation(len(self.items))]
        return sorted(range(len(self.items)), key=lambda index: rank("order", self.item_name(index)))

    def others(self, index: int, seed: int, longest: int) -> Iterator[Section]:
        """Yield all other sections of at most `longest` tokens, in a reproducible random order (`version` 2)."""
        item = self.items[index]
        for section in self._ranked(item, seed):
            if section.tokens <= longest and section.id != item.section:
                yield section

    @functools.lru_cache(maxsize=1024)  # noqa: B019  # banks are few, and live as long as the process
    def _ranked(self, item: Item, seed: int) -> tuple[Section, ...]:
        rank_of = ranks("record", seed, item.id)
        return tuple(sorted(self.sections.values(), key=lambda section: rank_of(section.id)))

    def why_none(self, longest: int, filtered: bool) -> str:
        """Explain why no item is about a section of at most `longest` tokens. filtered: count the kept items only."""
        limit = f"is about a section of at most {longest:,} tokens"
        if not (filtered and self.asked):
            return f"none of the {len(self.items):,} questions {limit}"
        if not self.kept:
            return f"the model's filter keeps none of its {self.asked:,} questions"
        return f"the model's filter keeps {len(self.kept):,} of {self.asked:,} questions, and none of these {limit}"

    def stream(self, *names: object) -> np.random.RandomState:
        """Return a reproducible NumPy RandomState that these names identify, which several cells can share."""
        return frozen_stream("bank", self.digest if self.version == 1 else f"v{self.version}", *names)


def documents_digest(bank: Bank, sections: Iterable[str]) -> str:
    """Return the digest of these sections, in their order, for version 2; empty for none."""
    named = [f"{name}:{bank.digests[name]}" for name in sections]
    return hashlib.sha256("/".join(named).encode()).hexdigest()[:12] if named and bank.version > 1 else ""


def rank(*names: object) -> bytes:
    """Return a random number that depends on these names alone, the same on every machine, as bytes to sort by."""
    return hashlib.sha256(json.dumps(names).encode()).digest()


def ranks(*names: object) -> Callable[[str], bytes]:
    """Return a function that takes a last name, and returns `rank` of these names and that one; use it to rank many."""
    begun = hashlib.sha256(f"{json.dumps(names)[:-1]}, ".encode())

    def of(name: str) -> bytes:
        number = begun.copy()
        number.update(f"{json.dumps(name)}]".encode())
        return number.digest()

    return of


GIVEAWAY = 1.5
FEW = 4
"""The most words besides numbers in a numerical answer."""


def gives_away(right: str, wrong: Sequence[str]) -> bool:
    """Tell whether the right answer is over 1.5 times as long as all wrong ones, or all wrong ones as it.

    Three more characters are allowed, as in “120 days” beside “8 days”.
    """
    lengths = [len(answer) for answer in wrong]
    return len(right) > GIVEAWAY * max(lengths) + 3 or GIVEAWAY * len(right) + 3 < min(lengths)


def numerical(answer: str) -> bool:
    """Tell whether an answer is a number: “1,200 metric tons”, “May 4, 2031”, but not “Area 537C” or a sentence."""
    words = answer.split()
    numbers = sum(bool(re.fullmatch(r"\W*\d[\d.,:/–-]*\W*", word)) for word in words)
    return numbers > 0 and len(words) - numbers <= FEW
