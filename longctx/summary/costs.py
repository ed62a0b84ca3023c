"""The cost of a run's answers by their own usage: of those that it asked, and of those that it replayed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.vocabulary.point import is_check


@dataclass(frozen=True, slots=True)
class UsageSummary:
    """The usage of one test on one model.

    input, output: tokens.
    """

    test: str
    model: str
    input: int
    cached: int | None
    """The input tokens that the server read from its prompt cache; None if no answer tells."""
    output: int
    cost_usd: float | None
    """The cost of the answers when they were sent; None if prices are not known."""
    latency_s: tuple[float, float] | None
    """The median and the 95th percentile in seconds; None if none was measured."""
    written: int = 0
    """The input tokens that it wrote to the cache."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one model's answers.

    live, replayed: the numbers of measured trials. live_usd, replayed_usd: their cost in USD; None if prices are not
    known.
    """

    model: str
    live: int
    live_usd: float | None
    replayed: int
    replayed_usd: float | None
    dated: str | None = None
    """The date of the prices; None if it is not known."""


def costs(measured: Sequence[Row], dated: Mapping[str, str]) -> tuple[Cost, ...]:
    """Return the cost of each model. measured: the rows of measured trials. dated: the date of each model's prices."""
    trials = [row for row in measured if not is_check(row.test)]  # the answer to a check is that of its trial
    return tuple(_cost(model, rows, dated) for model, rows in grouped(trials, lambda row: row.model).items())


def _cost(model: str, rows: Sequence[Row], dated: Mapping[str, str]) -> Cost:
    live = [row for row in rows if row.source == "live"]
    replayed = [row for row in rows if row.source != "live"]
    return Cost(model, len(live), total_usd(live), len(replayed), total_usd(replayed), dated.get(model))


def total_usd(rows: Sequence[Row]) -> float | None:
    """Return the sum of the rows' costs in USD; None if the cost of any is not known."""
    costs = [row.cost_usd for row in rows]
    return None if None in costs else math.fsum(cost for cost in costs if cost is not None)


def usage(measured: Sequence[Row]) -> tuple[UsageSummary, ...]:
    """Return the usage of each test on each model. measured: the rows of measured trials."""
    cells = grouped(measured, lambda row: (row.test, row.model))
    # The answers to checks are those of their function's trials.
    return tuple(_usage(*cell, rows) for cell, rows in cells.items() if not is_check(cell[0]))


def _usage(test: str, model: str, rows: Sequence[Row]) -> UsageSummary:
    cached = [row.cached_tokens for row in rows if row.cached_tokens is not None]
    latencies = [row.latency_s for row in rows if row.latency_s is not None]
    median, slow = np.quantile(latencies, [0.5, 0.95]) if latencies else (0.0, 0.0)
    return UsageSummary(
        test,
        model,
        input=sum(row.input_tokens or 0 for row in rows),
        cached=sum(cached) if cached else None,
        output=sum(row.output_tokens or 0 for row in rows),
        written=sum(row.cache_write_tokens or 0 for row in rows),
        cost_usd=total_usd(rows),
        latency_s=(float(median), float(slow)) if latencies else None,
    )
