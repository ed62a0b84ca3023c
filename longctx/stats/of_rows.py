"""The rate of rows, whose interval respects what their trials share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Protocol, TypeVar

from longctx.stats.rates import Rate


class Scored(Protocol):
    """What a rate is computed from: a row of results has it."""

    @property
    def identified(self) -> tuple[Hashable, Hashable]:
        """Its cluster, and its trial."""

    @property
    def credit(self) -> float: ...


Of = TypeVar("Of", bound=Scored)


def rate_of(rows: Iterable[Of], held: Callable[[Of], bool] | None = None) -> Rate:
    """Return the rate of measured trials; that of partial credit is its mean. held: what counts as a right answer."""
    return Rate.of((*row.identified, row.credit if held is None else int(held(row))) for row in rows)
