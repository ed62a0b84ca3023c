"""What two runs show of the items that both have, as columns: found once, and read by all that judges them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from longctx.results.row import Row
from longctx.stats.averaged import AnswerPair
from longctx.vocabulary.both import Both

ItemRows = Both[Sequence[Row]]
"""All answers about one item under two conditions, in two runs say."""


class JudgedItem(NamedTuple):
    """An item that a gate judges."""

    band: str
    cluster: object
    before: Sequence[Row]
    """The earlier answers that were measured."""
    after: Sequence[Row]
    """The later ones, measured or not."""
    measured: Sequence[Row]
    """Those of them that were."""
    credits: AnswerPair | None
    """The credit of all measured answers; None if one condition has none."""


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """The columns of JudgedItem and the cells, with an entry per item, of gated items and of others."""

    cells: list[str] = field(default_factory=list)
    """The cell in the later run."""
    bands: list[str | None] = field(default_factory=list)
    """The band in the later run; None if it is not gated."""
    clusters: list[object] = field(default_factory=list)
    before: list[Sequence[Row]] = field(default_factory=list)
    after: list[Sequence[Row]] = field(default_factory=list)
    measured: list[Sequence[Row]] = field(default_factory=list)
    credits: list[AnswerPair | None] = field(default_factory=list)

    @classmethod
    def of(cls, items: Iterable[ItemRows]) -> ItemColumns:
        columns = cls()
        known: dict[AnswerPair, AnswerPair] = {}  # few differ: one of each is kept
        for earlier, after in items:
            before, measured, first = measured_of(earlier), measured_of(after), after[0]
            columns.cells.append(first.cell)
            columns.bands.append(first.band)
            columns.clusters.append(first.cluster_key)
            columns.before.append(before)
            columns.after.append(after)
            columns.measured.append(measured)
            credits = (credit_of(before), credit_of(measured)) if before and measured else None
            columns.credits.append(credits and known.setdefault(credits, credits))
        return columns

    def judged(self) -> Iterator[JudgedItem]:
        """Yield the items that a gate judges: the earlier run measured them, and they have a band."""
        rows = self.before, self.after, self.measured
        for item in zip(self.bands, self.clusters, *rows, self.credits, strict=True):
            if item[0] is not None and item[2]:
                yield JudgedItem._make(item)


def measured_of(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the measured ones."""
    if len(rows) == 1:
        return rows if rows[0].measured else ()
    return [row for row in rows if row.measured]


def credit_of(rows: Sequence[Row]) -> tuple[float, ...]:
    """Return the credit of each."""
    return (rows[0].credit,) if len(rows) == 1 else tuple([row.credit for row in rows])


def credits_of(item: ItemRows) -> AnswerPair | None:
    """Return the credit of all measured answers to an item; None if one condition has none."""
    before, after = item.map(measured_of)
    return (credit_of(before), credit_of(after)) if before and after else None
