"""What the answers of a run cost by their own usage: those it asked, and those that an earlier run had asked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longctx.results.grouping import grouped
from longctx.results.row import Row


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one model. live, replayed: measured trials, and what their answers cost in USD; None where prices are
    not known. dated: the day on which the prices stood; None where that is not known."""

    model: str
    live: int
    live_usd: float | None
    replayed: int
    replayed_usd: float | None
    dated: str | None = None


def costs(measured: Sequence[Row], dated: Mapping[str, str]) -> tuple[Cost, ...]:
    """measured: rows of trials that were. dated: model -> day of its prices."""
    return tuple(_cost(model, rows, dated) for model, rows in grouped(measured, lambda row: row.model).items())


def _cost(model: str, rows: Sequence[Row], dated: Mapping[str, str]) -> Cost:
    live = [row for row in rows if row.source == "live"]
    replayed = [row for row in rows if row.source != "live"]
    return Cost(model, len(live), total_usd(live), len(replayed), total_usd(replayed), dated.get(model))


def total_usd(rows: Sequence[Row]) -> float | None:
    """None where the cost of one is not known."""
    costs = [row.cost_usd for row in rows]
    return None if None in costs else math.fsum(cost for cost in costs if cost is not None)
