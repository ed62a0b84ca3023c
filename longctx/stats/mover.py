"""An interval of the difference a - w b of two rates, from the Wilson interval of each.

Source: G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: A general approach",
Statistics in Medicine 27, 2008. For w = 1 and independent samples it is method 10 of R. G. Newcombe, "Interval
estimation for the difference between independent proportions", Statistics in Medicine 17, 1998.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from longctx.stats.rates import ROUNDING, Rate, design_effect, wilson


@dataclass(frozen=True, slots=True)
class Sample:
    """Trials under one condition, in clusters of those that are right or wrong together."""

    rate: Rate
    effect: float = 1.0
    """How many trials carry as much information as one independent trial."""
    clusters: int | None = None
    """How many clusters there are; None if no trials share one."""

    @classmethod
    def of(cls, clusters: Sequence[Sequence[float]]) -> Sample:
        """Return the sample of these outcomes: whether each trial is correct, by cluster."""
        n = sum(map(len, clusters))
        effect = design_effect(clusters) if n else 1.0
        filled = sum(map(bool, clusters))
        return cls(Rate(sum(map(sum, clusters)), n), effect, None if filled == n else filled)

    @property
    def n(self) -> float:
        """The effective number of trials."""
        return self.rate.n / self.effect

    def interval(self, z: float) -> tuple[float, float]:
        return wilson(self.rate.correct / self.effect, self.n, z)


def interval(a: Sample, b: Sample, z: float, weight: float = 1.0, correlation: float = 0.0) -> tuple[float, float]:
    """Return the interval of a - weight * b; all possible values if either sample has no trials.

    correlation: between the two estimates; 0 if the samples share no item.
    """
    if not (a.rate.n and b.rate.n):
        return -weight, 1.0
    (low_a, high_a), (low_b, high_b) = a.interval(z), b.interval(z)
    rate_a, rate_b = a.rate.rate, b.rate.rate
    estimate = rate_a - weight * rate_b

    def reach(own: float, other: float) -> float:
        other *= weight
        return math.sqrt(max(0.0, own * own + other * other - 2 * correlation * own * other))

    return estimate - reach(rate_a - low_a, high_b - rate_b), estimate + reach(high_a - rate_a, rate_b - low_b)


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the correlation of paired credits; 0 if it is negative, or if one side has no variation.

    A correlation of 0 gives the wider interval.
    """
    n = len(pairs)
    (first, squares), (second, others) = (
        (math.fsum(pair[side] for pair in pairs), math.fsum(pair[side] ** 2 for pair in pairs)) for side in (0, 1)
    )
    variation = max(0.0, n * squares - first * first) * max(0.0, n * others - second * second)
    both = math.fsum(one * other for one, other in pairs)
    return max(0.0, (n * both - first * second) / math.sqrt(variation)) if variation > ROUNDING else 0.0
