"""What was measured at one value of a parameter of a test function, and what is lost between two values."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.compare.pairs import by_item, paired
from longctx.results.row import ALONE, Row
from longctx.stats.averaged import Averaged
from longctx.stats.losses import Losses
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate, rate_of
from longctx.summary.costs import total_usd

EVIDENCE_ALONE = 0.0
"""The value of a parameter that stands for a context of the evidence alone, with which losses can be compared."""
FILLER = "filler tokens"
"""What such parameters count: the tokens of the text around the question, not all that are sent."""


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
    sent: int | None = None
    """The median of the tokens that were sent; None if it is not known."""

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
            median_tokens(rows),
        )


def median_tokens(rows: Sequence[Row]) -> int | None:
    """Return the median of the tokens that were sent; None if no answer tells."""
    known = [row.input_tokens for row in rows if row.input_tokens is not None]
    return round(statistics.median(known)) if known else None


def losses_between(by_fill: Mapping[float, Sequence[Row]], *, clustered: bool = True) -> Losses:
    """Return the losses compared with the evidence alone, or else with the smallest fill. clustered: see `paired`."""
    (first, before), *others = by_fill.items()
    if alone := with_evidence_alone(by_fill):
        first, before, others = EVIDENCE_ALONE, alone, [*by_fill.items()]
    return Losses.of(first, {fill: pairs_of(before, after, clustered=clustered) for fill, after in others})


def with_evidence_alone(by_fill: Mapping[float, Sequence[Row]]) -> list[Row]:
    """Return a row for each probe, with its outcome when it was tried; nothing unless all probes were."""
    rows = {question_key(row): row for group in by_fill.values() for row in group}.values()
    if not all(ALONE in row.trace for row in rows):
        return []
    return [replace(row, outcome="correct" if row.trace[ALONE] else "wrong", trace={}) for row in rows]


def pairs_of(before: Sequence[Row], after: Sequence[Row], *, clustered: bool = True) -> Paired | Averaged:
    """Return the difference between two values of a parameter, on the same items. clustered: see `paired`."""
    return paired(by_item(before, after, question_key), clustered=clustered)


def question_key(row: Row) -> tuple[int, str | None, int]:
    return row.seed, row.item, row.trial
