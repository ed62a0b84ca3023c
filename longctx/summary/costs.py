"""The cost of a run's answers by their own usage: of those that it asked, and of those that it replayed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longctx.results.grouping import grouped
from longctx.results.row import Row


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one model's answers.

    live, replayed: the numbers of measured trials. live_usd, replayed_usd: their cost in USD; None if prices are not
    known. dated: the date of the prices; None if it is not known.
    """

    model: str
    live: int
    live_usd: float | None
    replayed: int
    replayed_usd: float | None
    dated: str | None = None


def costs(measured: Sequence[Row], dated: Mapping[str, str]) -> tuple[Cost, ...]:
    """Return the cost of each model. measured: the rows of measured trials. dated: the date of each model's prices."""
    return tuple(_cost(model, rows, dated) for model, rows in grouped(measured, lambda row: row.model).items())


def _cost(model: str, rows: Sequence[Row], dated: Mapping[str, str]) -> Cost:
    live = [row for row in rows if row.source == "live"]
    replayed = [row for row in rows if row.source != "live"]
    return Cost(model, len(live), total_usd(live), len(replayed), total_usd(replayed), dated.get(model))


def total_usd(rows: Sequence[Row]) -> float | None:
    """Return the sum of the rows' costs in USD; None if the cost of any is not known."""
    costs = [row.cost_usd for row in rows]
    return None if None in costs else math.fsum(cost for cost in costs if cost is not None)
