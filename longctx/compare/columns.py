"""What two runs show of the items that both have, as columns: found once, and read by all that judges them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from longctx.results.row import Row
from longctx.stats.averaged import AnswerPair
from longctx.vocabulary.both import Both

Entry = TypeVar("Entry")
ItemRows = Both[Sequence[Row]]
"""All answers about one item under two conditions, in two runs say."""


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """An entry per item in each column, of items that a gate judges and of others."""

    cells: Sequence[str]
    """The cell in the later run."""
    bands: Sequence[str | None]
    """The band in the later run; None if it is not gated."""
    clusters: Sequence[object]
    before: Sequence[Sequence[Row]]
    """The earlier answers that were measured."""
    after: Sequence[Sequence[Row]]
    """The later answers, measured or not."""
    measured: Sequence[Sequence[Row]]
    """The later answers that were measured."""
    credits: Sequence[AnswerPair | None]
    """The credit of all measured answers; None if one condition has none."""

    @classmethod
    def of(cls, items: Iterable[ItemRows]) -> ItemColumns:
        rows = [*items]
        before, measured = ([measured_of(of_item[side]) for of_item in rows] for side in (0, 1))
        after = [of_item.after for of_item in rows]
        first = [of_run[0] for of_run in after]
        known: dict[AnswerPair, AnswerPair] = {}  # few differ: one of each is kept
        return cls(
            [row.cell for row in first],
            [row.band for row in first],
            [row.cluster_key for row in first],
            before,
            after,
            measured,
            [
                known.setdefault(credits := (credit_of(was), credit_of(now)), credits) if was and now else None
                for was, now in zip(before, measured, strict=True)
            ],
        )

    def at(self, places: Sequence[int]) -> ItemColumns:
        """Return the items at these places."""

        def at(column: Sequence[Entry]) -> list[Entry]:
            return [column[place] for place in places]

        rows = at(self.before), at(self.after), at(self.measured)
        return ItemColumns(at(self.cells), at(self.bands), at(self.clusters), *rows, at(self.credits))

    def by_band(self) -> dict[str, list[int]]:
        """Return the places of the items that a gate judges: those with a band that the earlier run measured."""
        bands: dict[str, list[int]] = {}
        for place, (band, before) in enumerate(zip(self.bands, self.before, strict=True)):
            if band is not None and before:
                bands.setdefault(band, []).append(place)
        return bands


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
