"""An accuracy and its interval, a test of an accuracy against a minimum, and Holm's correction for several tests.

The formulas are written here because importing statsmodels would load 1,200 modules in every run; the tests compare
them with statsmodels and scipy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, TypeVar

from longctx.stats.search import narrowed

Z95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution."""


ROUNDING = 1e-9
"""An effective number this close to a whole one is that."""
Credited = tuple[Hashable, Hashable, float]
"""The cluster of an answer, its trial, and its credit: 1 if it is right, 0 if it is wrong."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The share of n measured trials that are correct, with its Wilson 95% interval [lo, hi]; NaN, [0, 1] if n is 0.

    Example:
        >>> print(Rate(correct=18, n=20))
        0.90 [0.70, 0.97] n=20
    """

    correct: float
    """The number of correct trials, or the sum of partial credit."""
    n: int
    """The number of measured trials."""
    effect: float = field(default=1.0, compare=False, repr=False)
    """How many of the trials carry as much information as one independent trial."""
    clusters: int = field(default=0, compare=False, repr=False)
    """The clusters of several trials that they form; 0 if they are independent."""
    answers: tuple[Credited, ...] = field(default=(), compare=False, repr=False)
    """The answers that it sums up, if they are known: rates that are pooled may share clusters."""

    @classmethod
    def of(cls, answers: Iterable[Credited]) -> Rate:
        """Return the accuracy of answers, whose interval is that of their effective number.

        Answers of one cluster are right or wrong together. If all are of one, the accuracy is that of this cluster, and
        only repeats of a trial count together.
        """
        known = tuple(answers)
        effect, number = 1.0, 0
        if len({answer[0] for answer in known}) < len(known):
            clusters = _grouped(known, 0)
            if len(clusters) == 1:
                clusters = _grouped(known, 1)
            effect = design_effect(clusters)
            number = len(clusters) if len(clusters) < len(known) else 0
        return cls(round(sum([answer[2] for answer in known]), 6), len(known), effect, number, known)

    @property
    def effective(self) -> float:
        """The effective number of trials."""
        return self.n / self.effect

    @property
    def rate(self) -> float:
        return self.correct / self.n if self.n else math.nan

    @property
    def lo(self) -> float:
        return self.interval()[0]

    @property
    def hi(self) -> float:
        return self.interval()[1]

    def interval(self, z: float = Z95) -> tuple[float, float]:
        """Return the Wilson interval for the normal quantile `z`; the default gives 95%.

        Of clusters it is Student's quantile with one degree of freedom fewer: their effect is estimated (E. L. Korn
        and B. I. Graubard, "Confidence intervals for proportions with small expected number of positive counts
        estimated from survey data", Survey Methodology 24, 1998).
        """
        z = students(z, self.clusters - 1) if self.clusters > 1 else z
        return wilson(self.correct / self.effect, self.effective, z)

    def p_below(self, minimum: float) -> float:
        """Return the p-value of an accuracy below `minimum`; effective numbers are rounded against it."""
        n = math.floor(self.effective + ROUNDING)
        return below(min(n, math.ceil(self.correct / self.effect - ROUNDING)), n, minimum)

    def p_above(self, maximum: float) -> float:
        """Return the p-value of an accuracy above `maximum`; effective numbers are rounded against it."""
        n = math.floor(self.effective + ROUNDING)
        return above(min(n, math.floor(self.correct / self.effect + ROUNDING)), n, maximum)

    @property
    def as_data(self) -> dict[str, float | int | None]:
        """The accuracy as JSON has it: None without trials, since JSON has no NaN."""
        rate = self.rate if self.n else None
        return {"correct": self.correct, "n": self.n, "rate": rate, "lo": self.lo, "hi": self.hi}

    def __str__(self) -> str:
        return f"{self.rate:.2f} [{self.lo:.2f}, {self.hi:.2f}] n={self.n}" if self.n else "not measured"


NO_RATE = Rate(0, 0)
"""The accuracy without trials."""


def pooled(rates: Iterable[Rate]) -> Rate:
    """Return the accuracy over the trials of several rates."""
    kept = [rate for rate in rates if rate.n]
    if all(rate.answers for rate in kept):
        return Rate.of(answer for rate in kept for answer in rate.answers)
    correct, n = sum(rate.correct for rate in kept), sum(rate.n for rate in kept)
    return Rate(correct, n, sum(rate.n * rate.effect for rate in kept) / n)


def _grouped(answers: Iterable[Credited], place: int) -> list[list[float]]:
    """Return the credit of answers by their cluster or their trial."""
    groups: dict[object, list[float]] = {}
    for answer in answers:
        groups.setdefault(answer[place], []).append(answer[2])
    return list(groups.values())


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


@lru_cache(maxsize=4096)
def students(z: float, freedom: int) -> float:
    """Return the quantile of Student's distribution at the same probability as z, above 0, of the normal one.

    By its closed form for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4); for many of them by the
    expansion of R. A. Fisher and E. A. Cornish (26.7.5).
    """
    if freedom >= 30:
        first = (z**3 + z) / (4 * freedom)
        second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        return z + first + second + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    within = math.erf(z / math.sqrt(2))

    def share(angle: float) -> float:
        sine, cosine = math.sin(angle), math.cos(angle)
        odd = freedom % 2
        term = total = (cosine if odd else 1.0) if freedom > 1 else 0.0
        for place in range(2 + odd, freedom - 1, 2):
            term *= cosine**2 * (place - 1) / place
            total += term
        return 2 / math.pi * (angle + sine * total) if odd else sine * total

    low, high = narrowed(lambda angle: share(angle) < within, 0.0, math.pi / 2)
    return math.tan((low + high) / 2) * math.sqrt(freedom)


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
    """Return which hypotheses are rejected at a test-wise error of alpha (S. Holm, Scand. J. Statist. 6, 1979)."""
    rejected = [False] * len(p_values)
    for step, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[index] > alpha / (len(p_values) - step):
            break
        rejected[index] = True
    return rejected


def design_effect(clusters: Sequence[Sequence[float]]) -> float:
    """Return how many clustered trials carry as much information as one independent trial; at least 1.

    If no trial changed, the correlation within clusters cannot be estimated, and each cluster counts as one trial.
    """
    sizes = [size for size in map(len, clusters) if size]
    trials = sum(sizes)
    if len(sizes) == trials:
        return 1.0
    sums = [sum(cluster) for cluster in clusters if cluster]
    squares = sum(change * change for cluster in clusters for change in cluster)
    mean = sum(sums) / trials
    independent = squares - trials * mean * mean
    if len(sizes) < 2 or independent < 1e-9:
        return trials / len(sizes)
    clustered = sum((total - size * mean) ** 2 for total, size in zip(sums, sizes, strict=True))
    return max(1.0, clustered / independent * len(sizes) / (len(sizes) - 1))


class Scored(Protocol):
    """What an accuracy is computed from: a row of results has it."""

    @property
    def identified(self) -> tuple[Hashable, Hashable]:
        """Its cluster, and its trial."""

    @property
    def credit(self) -> float: ...


Of = TypeVar("Of", bound=Scored)


def rate_of(rows: Iterable[Of], held: Callable[[Of], bool] | None = None) -> Rate:
    """Return the rate of measured trials; that of partial credit is its mean. held: what counts as a right answer."""
    return Rate.of([(*row.identified, row.credit if held is None else int(held(row))) for row in rows])
