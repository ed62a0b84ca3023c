"""How full the window may get: accuracy, price and latency by fill, and the loss compared with the smallest fill."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from longctx.compare.pairs import by_item, paired
from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.averaged import Averaged
from longctx.stats.losses import Losses
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate, rate_of
from longctx.summary.costs import total_usd
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY

FILL = "fill"
"""The parameter of a test function that is the fill of the window."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured at one value of a parameter."""

    value: float
    rate: Rate
    usd: float | None
    """What a trial cost on average, in USD; None if prices are not known."""
    seconds: float | None
    """The median latency of a trial; None if it was not measured."""
    cached: float | None
    """The share of the input tokens that were read from the prompt cache; None if no answer tells."""
    counts: dict[str, int]
    """How often each number of the rows' traces is above zero."""

    @classmethod
    def of(cls, value: float, rows: Sequence[Row]) -> Measured:
        usd = total_usd(rows)
        seconds = [row.latency_s for row in rows if row.latency_s is not None and row.batch_discount is None]
        told = [row for row in rows if row.cached_tokens is not None and row.input_tokens]
        names = dict.fromkeys(name for row in rows for name in row.trace)
        return cls(
            value,
            rate_of(rows),
            None if usd is None else usd / len(rows),
            statistics.median(seconds) if seconds else None,
            sum(row.cached_tokens or 0 for row in told) / sum(row.input_tokens or 0 for row in told) if told else None,
            {name: sum(row.trace.get(name, 0) > 0 for row in rows) for name in names},
        )


@dataclass(frozen=True, slots=True)
class Window:
    """One strategy of one subject at several fills."""

    subject: Subject
    """Without the strategy."""
    strategy: str
    points: tuple[Measured, ...]
    """By fill, the smallest first."""
    losses: Losses
    """Compared with the smallest fill, on the same probes."""
    strategy_usd: float | None
    """What the strategy itself cost at the largest fill, a session; None if prices are not known."""
    guessing: float = 0.0

    @property
    def can_lose(self) -> bool:
        """Whether more is right at the smallest fill than by guessing."""
        return self.points[0].rate.lo > self.guessing and self.points[0].rate.correct > 0


def windows(rows: Sequence[Row]) -> tuple[Window, ...]:
    """Return each strategy of each subject that was measured at several fills. rows: measured ones of a function."""
    filled = [row for row in rows if row.retained is not None and isinstance(row.params.get(FILL), int | float)]
    found = [_of(subject, group) for subject, group in by_subject(filled).items()]
    return tuple(each for each in found if len(each.points) > 1)


def _of(subject: Subject, rows: Sequence[Row]) -> Window:
    by_fill = dict(sorted(grouped(rows, lambda row: float(str(row.params[FILL]))).items()))
    first, last = min(by_fill), max(by_fill)
    costs = [row.strategy_usd for row in by_fill[last]]
    known = [cost for cost in costs if cost is not None]
    return Window(
        replace(subject, labels=tuple(pair for pair in subject.labels if pair[0] != STRATEGY)),
        dict(subject.labels).get(STRATEGY, NO_STRATEGY),
        tuple(Measured.of(fill, group) for fill, group in by_fill.items()),
        Losses.of(first, {fill: pairs_of(by_fill[first], group) for fill, group in by_fill.items() if fill != first}),
        statistics.fmean(known) if known and len(known) == len(costs) else None,
        max((row.guessing or 0.0 for row in rows), default=0.0),
    )


def pairs_of(before: Sequence[Row], after: Sequence[Row]) -> Paired | Averaged:
    """Return the difference between two values of a parameter, on the same items."""
    return paired(by_item(before, after, lambda row: (row.seed, row.item, row.trial)))
