"""The difference between two rates over trials that share no item, and the power of such runs.

The interval is R. G. Newcombe's (stats/mover.py), the test is Fisher's exact one (R. A. Fisher, "The logic of inductive
inference", JRSS 98, 1935), both at the effective number of trials where there are clusters.

The powers show what pairing saves. They are normal approximations for n trials in each run; with n = 100, the power is
within 0.04 of the exact one, and within 0.07 near rates of 0 and 1. The test is that of two proportions with pooled
variance, one-sided and without continuity correction (J. L. Fleiss, B. Levin and M. C. Paik, "Statistical Methods for
Rates and Proportions", 3rd ed. 2003, chapter 4). A pass uses the unpaired counterpart of Tango's score bound (C. P.
Farrington and G. Manning, "Test statistics and sample size formulae for comparative binomial trials", Statistics in
Medicine 9, 1990).

A quantile of measured values, with an interval between two of them that holds for any distribution.

Source: order-statistic intervals, W. R. Thompson, "On confidence ranges for the median", Annals of Mathematical
Statistics 7, 1936: the number of values below the true quantile is binomial.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from longctx.stats import mover
from longctx.stats.mover import Sample
from longctx.stats.paired import with_interval
from longctx.stats.rates import Z95
from longctx.stats.search import MOST_TRIALS, least, narrowed

NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Two samples that share no item."""

    before: Sample
    after: Sample

    @classmethod
    def of(cls, before: Sequence[Sequence[float]], after: Sequence[Sequence[float]]) -> Unpaired:
        """Return the samples with these outcomes: whether each trial is correct, by cluster.

        Both have the larger design effect of the two: with few errors in few clusters it is often estimated too small.
        """
        samples = Sample.of(before), Sample.of(after)
        effect = max(sample.effect for sample in samples)
        return cls(*(replace(sample, effect=effect) if sample.clusters else sample for sample in samples))

    @property
    def n(self) -> int:
        """The trials of the smaller sample."""
        return min(self.before.rate.n, self.after.rate.n)

    @property
    def clusters(self) -> int:
        """The clusters of the sample that has fewer; a trial that shares none is its own."""
        return min(sample.rate.n if sample.clusters is None else sample.clusters for sample in self.samples)

    @property
    def samples(self) -> tuple[Sample, Sample]:
        return self.before, self.after

    @property
    def difference(self) -> float:
        """The second rate minus the first, -1 to 1."""
        return self.after.rate.rate - self.before.rate.rate

    def interval(self, z: float = Z95) -> tuple[float, float]:
        """Return the interval of the difference; (-1, 1) if a sample is empty."""
        return mover.interval(self.after, self.before, z)

    def drop_bound(self, alpha: float) -> float:
        """Return the upper end of the one-sided interval of the drop at confidence 1 - alpha."""
        return -self.interval(NORMAL.inv_cdf(1 - alpha))[0]

    def drop_p_value(self) -> float:
        """Return the p-value of the hypothesis that there is no drop; effective numbers are rounded against a drop."""
        (right, n), (others, m) = (
            (sample.rate.correct / sample.effect, math.floor(sample.n)) for sample in (self.before, self.after)
        )
        return _fisher(math.floor(right), n, min(math.ceil(others), m), m) if n and m else 1.0

    def __str__(self) -> str:
        if not self.n:
            return "not measured"
        sizes = f"n={self.before.rate.n}, {self.after.rate.n} unpaired"
        return f"{with_interval(self.difference, self.interval())} {sizes}"


def _fisher(first: int, n: int, second: int, m: int) -> float:
    """Return the probability that the second of n and m trials has so few of all successes, or fewer."""
    successes = first + second

    def log_choose(of: int, chosen: int) -> float:
        return math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)

    total = log_choose(n + m, successes)
    terms = (
        math.exp(log_choose(m, k) + log_choose(n, successes - k) - total)
        for k in range(max(0, successes - n), min(second, m) + 1)
    )
    return min(1.0, math.fsum(terms))


def power(n: float, rate: float, drop: float, alpha: float) -> float:
    """Return the probability that a drop from `rate` is significant at `alpha`. 0 < rate < 1; 0 <= drop <= rate."""
    pooled, unpooled = _spreads(rate, drop)
    return NORMAL.cdf((drop * math.sqrt(n) - NORMAL.inv_cdf(1 - alpha) * pooled) / unpooled)


def smallest_drop(n: float, rate: float, alpha: float, target: float) -> float | None:
    """Return the smallest drop that n trials per run show with power `target`; None if not even one to 0 is shown."""
    return least(lambda drop: power(n, rate, drop, alpha) >= target, rate)


def trials_for_drop(drop: float, rate: float, alpha: float, target: float) -> int | None:
    """Return the fewest trials per run that show `drop` with power `target`; None for more than search.MOST_TRIALS."""
    pooled, unpooled = _spreads(rate, drop)
    root = (NORMAL.inv_cdf(1 - alpha) * pooled + NORMAL.inv_cdf(target) * unpooled) / drop
    return _rounded_up(max(0.0, root) ** 2)


def trials_to_pass(rate: float, margin: float, alpha: float, target: float) -> int | None:
    """Return the fewest trials per run that pass with probability `target` if nothing changed: the bound of the drop
    lies below the margin. None for more than search.MOST_TRIALS."""
    at_margin, unchanged = _spread_at_margin(rate, margin), math.sqrt(2 * rate * (1 - rate))
    root = (NORMAL.inv_cdf(1 - alpha) * at_margin + NORMAL.inv_cdf(target) * unchanged) / margin
    return _rounded_up(max(0.0, root) ** 2)


def discordance(rate: float) -> float:
    """Return the share of trials that two independent runs of this accuracy answer differently."""
    return 2 * rate * (1 - rate)


def _spreads(rate: float, drop: float) -> tuple[float, float]:
    """Return the standard deviations of the difference times the root of n: pooled, and unpooled."""
    lower = rate - drop
    mean = (rate + lower) / 2
    return math.sqrt(2 * mean * (1 - mean)), math.sqrt(rate * (1 - rate) + lower * (1 - lower))


def _spread_at_margin(rate: float, margin: float) -> float:
    """Return the unpooled standard deviation at the likeliest rates `margin` apart if both runs show `rate`."""

    def slope(first: float) -> float:
        """Return the derivative of the log-likelihood, which falls as the first rate grows."""
        second = first - margin
        return rate * (1 / first + 1 / second) - (1 - rate) * (1 / (1 - first) + 1 / (1 - second))

    _, high = narrowed(lambda first: slope(first) > 0, margin, 1.0)
    return math.sqrt(high * (1 - high) + (high - margin) * (1 - high + margin))


def _rounded_up(n: float) -> int | None:
    trials = max(1, math.ceil(n))
    return trials if trials <= MOST_TRIALS else None
