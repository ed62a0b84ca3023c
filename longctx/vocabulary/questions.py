"""The questions of a bank as the items of a protocol, and the entries of its table that choose them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import ClassVar

from pydantic import Field

from longctx.vocabulary.bank import SHIPPED, Bank, rank
from longctx.vocabulary.grid import Axes, Count
from longctx.vocabulary.point import Identity, Items


class BankItems(Items):
    """The questions of a bank: those that the model's filter keeps, about sections of at most the cell's `longest`.

    The index of a trial is that of its question in `bank.items`. Questions about one section are a cluster. Of cells
    with a parameter `share`, (place, of), each asks a part of the questions.

    Example:
        >>> class Unfiltered(BankItems):
        ...     filtered = False
        >>> class Numbers(BankItems):
        ...     def asked(self):
        ...         return (index for index in super().asked() if self.bank.items[index].right.isdigit())
    """

    filtered = True

    @property
    def bank(self) -> Bank:
        bank: Bank = self.cell.bank()
        return bank

    @property
    def longest(self) -> int:
        """The tokens of the longest section that is asked about."""
        return getattr(self.cell, "longest", sys.maxsize)

    def asked(self) -> Iterable[int]:
        """Return the indices of all questions that the cell may ask, in their order."""
        return _asked(self.bank, self.longest, self.filtered, getattr(self.cell, "share", None))

    def indices(self, trials: int) -> Sequence[int]:
        return list(islice(self.asked(), trials))

    def cluster(self, index: int) -> str:
        return self.bank.items[index].section

    def identity(self, identity: Identity, index: int) -> Identity:
        return self.bank.named(identity, index)

    def index_of(self, name: str) -> int:
        return self.bank.index_of(name)

    @property
    def facts(self) -> Mapping[str, int]:
        bank = self.bank
        return {"filter_asked": bank.asked, "filter_kept": len(bank.kept)} if self.filtered else {}

    @property
    def why_empty(self) -> str:
        return self.bank.why_none(self.longest, self.filtered)


class BankAxes(Axes):
    """Axes of a protocol that asks the questions of a bank.

    Example:
        >>> class NoticesGrid(BankAxes):
        ...     def cells(self):
        ...         yield {"longest": self.longest}
        >>> NoticesGrid(bank="notices", trials=20).longest
        5000
    """

    default_items: ClassVar[type[Items]] = BankItems
    bank: str = Field(default=SHIPPED, min_length=1)
    """The name of the bank: documents in fixtures/NAME and questions in fixtures/questions/NAME.jsonl."""
    longest: Count = 5000
    """The maximum section length in tokens. Longer sections and their questions are excluded."""

    @property
    def draws_on(self) -> str:
        return self.bank


@functools.lru_cache(maxsize=256)
def _asked(bank: Bank, longest: int, filtered: bool, share: tuple[int, int] | None) -> tuple[int, ...]:
    items = tuple(index for index in bank.order(longest) if not filtered or bank.keeps(index))
    if not share:
        return items
    place, of = share
    if bank.version == 1:
        return items[place::of]
    # who asks a question depends on nothing else that the bank holds
    return tuple(each for each in items if int.from_bytes(rank("share", bank.item_name(each))) % of == place)
