"""Price, tokens and latency of two runs on the same trials, and how much each has grown."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from longctx.gate.bands import Verdict
from longctx.results.grouping import grouped
from longctx.results.request_parts import parts_that_differ
from longctx.results.row import Row
from longctx.stats.quantiles import Quantile, quantile
from longctx.vocabulary.both import Both
from longctx.vocabulary.shapes import STRATEGY

NO_TEMPLATES = hashlib.sha256(b"").hexdigest()[:12]
"""The digest of the templates of a test that has none."""
TEXTS = ("system", "tools", "messages")
"""The parts of a request that a model reads."""
RowPair = Both[Row]
"""A trial in the baseline and in the run; both measured it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Price, tokens and latency of one run, the mean per trial. None where it is not known of every trial."""

    trials: int
    usd: float | None
    """The price in USD without the discount of a batch."""
    input_tokens: float | None
    output_tokens: float | None
    """Thinking included."""
    thinking_tokens: float | None
    """None where the server does not count them apart."""
    latency_p50: Quantile | None
    """Seconds, of the trials that were sent directly: a batch has no latency."""
    latency_p95: Quantile | None

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Usage:
        latencies = [row.latency_s for row in rows if row.latency_s is not None]
        return cls(
            len(rows),
            _mean(standard_usd(row) for row in rows),
            _mean(row.input_tokens for row in rows),
            _mean(row.output_tokens for row in rows),
            _mean(row.thinking_tokens for row in rows),
            quantile(latencies, 0.5),
            quantile(latencies, 0.95),
        )


def standard_usd(row: Row) -> float | None:
    """Return the cost of an answer as if it had been asked directly, in USD; None if it is not known."""
    paid_share = 1 - (row.batch_discount or 0.0)
    return None if row.cost_usd is None or paid_share <= 0 else row.cost_usd / paid_share


@dataclass(frozen=True, slots=True)
class Growth:
    """How much larger something is in the run: 0.5 is half as much again; [lo, hi] is its two-sided interval."""

    value: float
    lo: float
    hi: float


def cost_growth(pairs: Sequence[RowPair], alpha: float = 0.05) -> Growth | None:
    """Return how much the price of the same trials has grown; None if a trial's price is not known.

    The interval is that of a ratio of means by linearization, over clusters (W. G. Cochran, "Sampling Techniques",
    1977, 6.3).
    """
    known = []
    for pair in pairs:
        before, after = standard_usd(pair.before), standard_usd(pair.after)
        if before is None or after is None:
            return None
        known.append((before, after))
    if not known:
        return None
    total, now = (math.fsum(side) for side in zip(*known, strict=True))
    if not total:
        growth = math.inf if now else 0.0
        return Growth(growth, growth, growth)
    ratio = now / total
    clusters = grouped(
        zip((pair.after for pair in pairs), known, strict=True),
        lambda trial: (trial[0].test, trial[0].subject, trial[0].cluster_key),
    ).values()
    sums = [math.fsum(after - ratio * before for _, (before, after) in cluster) for cluster in clusters]
    correction = len(sums) / max(1, len(sums) - 1)
    half = NormalDist().inv_cdf(1 - alpha / 2) * math.sqrt(correction * math.fsum(of * of for of in sums)) / total
    return Growth(ratio - 1, ratio - 1 - half, ratio - 1 + half)


def latency_growth(pairs: Sequence[RowPair], alpha: float = 0.05) -> Growth | None:
    """Return how much the median latency has grown; None if either run lacks latencies."""
    return median_growth([pair.map(lambda row: row.latency_s) for pair in pairs], alpha)


def median_growth(pairs: Sequence[Both[float | None]], alpha: float = 0.05) -> Growth | None:
    """Return how much the median of paired values has grown; None if either side has none.

    The interval is from the distances of both medians from the ends of their intervals, as ratios (G. Y. Zou and A.
    Donner, see stats/mover.py). The correlation of the medians of paired values is four times the share of pairs of
    which both are below them, less 1.
    """
    before = quantile([pair.before for pair in pairs if pair.before is not None], 0.5, alpha)
    after = quantile([pair.after for pair in pairs if pair.after is not None], 0.5, alpha)
    if before is None or after is None or not before.value:
        return None
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    below = sum(one <= before.value and other <= after.value for one, other in known)
    correlation = max(0.0, 4 * below / len(known) - 1) if known else 0.0
    growth = after.value / before.value
    lo = growth / _reach(after.value, after.lo, before.hi, before.value, correlation)
    hi = math.inf if not growth else growth * _reach(after.hi, after.value, before.value, before.lo, correlation)
    return Growth(growth - 1, lo - 1, hi - 1)


def _reach(
    more: float | None, less: float | None, above: float | None, below: float | None, correlation: float
) -> float:
    """Return how many times as large or small a ratio of medians may be, by those of both: more / less, above / below.

    Infinity if one of them is not known.
    """
    if not (more and less and above and below):
        return math.inf
    own, other = math.log(more / less), math.log(above / below)
    return math.exp(math.sqrt(max(0.0, own * own + other * other - 2 * correlation * own * other)))


@dataclass(frozen=True, slots=True)
class UsageChange:
    """Price, tokens and latency of two runs on the same trials."""

    before: Usage
    after: Usage
    cost: Growth | None
    latency: Growth | None
    tokenizer: float | None
    """How much longer the same text is in tokens of the later model; None if no text was sent to two models."""

    @property
    def known(self) -> bool:
        """Whether anything is known of either run but the number of its trials."""
        fields = ("usd", "input_tokens", "output_tokens", "latency_p50")
        return any(getattr(usage, name) is not None for usage in (self.before, self.after) for name in fields)

    @classmethod
    def of(cls, pairs: Sequence[RowPair]) -> UsageChange:
        return cls(
            Usage.of([pair.before for pair in pairs]),
            Usage.of([pair.after for pair in pairs]),
            cost_growth(pairs),
            latency_growth(pairs),
            _tokenizer(pairs),
        )


def _tokenizer(pairs: Sequence[RowPair]) -> float | None:
    counts = [
        pair.map(lambda row: row.input_tokens)
        for pair in pairs
        if pair.before.model != pair.after.model and _same_text(*pair)
    ]
    was, now = sum(each.before or 0 for each in counts), sum(each.after or 0 for each in counts)
    return now / was - 1 if was and now and not any(None in count for count in counts) else None


def _same_text(before: Row, after: Row) -> bool:
    """Return whether both were sent the same text: by the parts of their requests, else by their templates."""
    if parts := parts_that_differ(before.request_parts, after.request_parts):
        return not any(parts.get(name) for name in TEXTS)
    sent = Both(before, after).map(lambda row: (row.prompt_digest, row.shape, row.labels.get(STRATEGY)))
    return sent.before == sent.after and before.prompt_digest != NO_TEMPLATES


@dataclass(frozen=True, slots=True)
class GrowthLimit:
    """A growth that a profile allows, and what the run shows of it."""

    name: str
    """The profile's entry, such as `max_cost_growth`."""
    most: float
    growth: Growth | None
    """None if it is not known."""
    repriced: tuple[str, ...] = ()
    """The models whose prices changed: their costs in both runs are not compared."""

    @property
    def status(self) -> Verdict:
        if self.growth is None:
            return "invalid"
        if self.growth.hi <= self.most:
            return "pass"
        return "regression" if self.growth.lo > self.most else "inconclusive"

    @property
    def noun(self) -> str:
        return "price" if self.name == "max_cost_growth" else "median latency"

    def __str__(self) -> str:
        limit = f"{self.name} allows {1 + self.most:.2f} times"
        if self.repriced:
            return f"the prices of {', '.join(self.repriced)} changed, and {limit}: save a new baseline"
        if self.growth is None:
            unknown = "is not known for every trial in both runs"
            why = "no prices, or none in the baseline" if self.noun == "price" else "batches have none"
            return f"the {self.noun} {unknown} ({why}), and {limit}"
        lo, hi = (times(end) for end in (self.growth.lo, self.growth.hi))
        return f"the {self.noun} is {times(self.growth.value)} times that of the baseline [{lo}, {hi}]; {limit}"


def times(growth: float) -> str:
    """Return a growth as a factor."""
    return "infinitely many" if math.isinf(growth) else f"{max(0.0, 1 + growth):.2f}"


@dataclass(frozen=True, slots=True)
class GrowthLimits:
    """The growth that a profile allows; None for what it does not limit."""

    max_cost_growth: float | None = None
    max_latency_growth: float | None = None

    def judged(self, pairs: Sequence[RowPair], alpha: float, repriced: Collection[str] = ()) -> tuple[GrowthLimit, ...]:
        """Return each stated limit with the growth on these pairs; each is tested one-sided at alpha.

        repriced: the models whose prices are not those of the baseline.
        """
        limits = []
        if (most := self.max_cost_growth) is not None:
            same_model = {after.model for before, after in pairs if before.model == after.model}
            changed = tuple(sorted(same_model & {*repriced}))
            growth = None if changed else cost_growth(pairs, 2 * alpha)
            limits.append(GrowthLimit("max_cost_growth", most, growth, changed))
        if (most := self.max_latency_growth) is not None:
            limits.append(GrowthLimit("max_latency_growth", most, latency_growth(pairs, 2 * alpha)))
        return tuple(limits)


def _mean(values: Iterable[float | None]) -> float | None:
    known = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return math.fsum(known) / len(known) if known else None
