"""A rate and its interval, a test of a rate against a minimum, and Holm's correction for several tests.

The formulas are written here because importing statsmodels would load 1,200 modules in every run; the tests compare
them with statsmodels and scipy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Z95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The share of n measured trials that are correct, with its Wilson 95% interval [lo, hi]; NaN, [0, 1] if n is 0.

    Example:
        >>> print(Rate(correct=18, n=20))
        0.90 [0.70, 0.97] n=20
    """

    correct: int
    n: int

    @property
    def rate(self) -> float:
        return self.correct / self.n if self.n else math.nan

    @property
    def lo(self) -> float:
        return wilson(self.correct, self.n)[0]

    @property
    def hi(self) -> float:
        return wilson(self.correct, self.n)[1]

    @property
    def as_data(self) -> dict[str, float | int | None]:
        """The rate as JSON holds it: None for a rate of no trials, since JSON has no NaN."""
        rate = self.rate if self.n else None
        return {"correct": self.correct, "n": self.n, "rate": rate, "lo": self.lo, "hi": self.hi}

    def __str__(self) -> str:
        return f"{self.rate:.2f} [{self.lo:.2f}, {self.hi:.2f}] n={self.n}" if self.n else "not measured"


NO_RATE = Rate(0, 0)
"""The rate of no trials."""


def pooled(rates: Iterable[Rate]) -> Rate:
    """Return the rate over the trials of several rates."""
    kept = list(rates)
    return Rate(sum(rate.correct for rate in kept), sum(rate.n for rate in kept))


def wilson(correct: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion (E. B. Wilson, JASA 22, 1927); (0, 1) without trials.

    n may be an effective number.
    """
    if n == 0:
        return 0.0, 1.0
    p, spread = correct / n, z * z / n
    center = (p + spread / 2) / (1 + spread)
    half = z * math.sqrt(p * (1 - p) / n + spread / (4 * n)) / (1 + spread)
    return max(0.0, center - half), min(1.0, center + half)


def below(correct: int, n: int, minimum: float) -> float:
    """Return the exact one-sided p-value of a rate below `minimum`: P(X <= correct) if the true rate were `minimum`."""
    if n == 0 or minimum <= 0:
        return 1.0
    if minimum >= 1:
        return float(correct >= n)
    log_terms = (
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        + k * math.log(minimum) + (n - k) * math.log1p(-minimum)
        for k in range(correct + 1)
    )  # fmt: skip
    return min(1.0, math.fsum(map(math.exp, log_terms)))


def above(correct: int, n: int, maximum: float) -> float:
    """Return the exact one-sided p-value of a rate above `maximum`: P(X >= correct) if the true rate were `maximum`."""
    return below(n - correct, n, 1 - maximum)


def holm(p_values: Sequence[float], alpha: float = 0.05) -> list[bool]:
    """Return which hypotheses are rejected at a family-wise error of alpha (S. Holm, Scand. J. Statist. 6, 1979)."""
    rejected = [False] * len(p_values)
    for step, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[index] > alpha / (len(p_values) - step):
            break
        rejected[index] = True
    return rejected
