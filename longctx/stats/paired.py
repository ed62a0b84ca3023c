"""The difference between two rates over the same trials, with an interval that stays valid at 0% and 100%.

Source: T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
design", Statistics in Medicine 17, 1998: the score interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from longctx.stats.rates import Z95
from longctx.stats.search import root


@dataclass(frozen=True, slots=True)
class Paired:
    """n trials under two conditions."""

    gained: int
    """Wrong under the first, correct under the second."""
    lost: int
    """Correct under the first, wrong under the second."""
    n: int

    @property
    def difference(self) -> float:
        """The second rate minus the first, -1 to 1."""
        return (self.gained - self.lost) / self.n if self.n else math.nan

    def interval(self, z: float = Z95) -> tuple[float, float]:
        """Tango's score interval of the difference; (-1, 1) without trials."""
        return tango(self.gained, self.lost, self.n, z)

    def drop_bound(self, alpha: float = 0.05) -> float:
        """Return the upper end of the one-sided interval of the drop at confidence 1 - alpha; 1 without trials."""
        return -self.interval(NormalDist().inv_cdf(1 - alpha))[0]

    def __str__(self) -> str:
        return f"{with_interval(self.difference, self.interval())} n={self.n}" if self.n else "not measured"


def with_interval(difference: float, interval: tuple[float, float]) -> str:
    """Return a difference with its interval, such as `-0.10 [-0.19, -0.02]`."""
    return f"{difference:+.2f} [{interval[0]:+.2f}, {interval[1]:+.2f}]"


def tango(gained: float, lost: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Return the score interval for (gained - lost) / n; (-1, 1) without pairs. n may be an effective number."""
    if n == 0:
        return -1.0, 1.0
    estimate = (gained - lost) / n
    lo = root(lambda delta: score(gained, lost, n, delta) - z, -1.0, estimate)
    hi = root(lambda delta: score(gained, lost, n, delta) + z, estimate, 1.0)
    return lo, hi


def score(gained: float, lost: float, n: float, delta: float) -> float:
    """Return the standardized distance of the observed difference from `delta`; it falls as delta grows."""
    b = -gained - lost + (2 * n - gained + lost) * delta
    c = -lost * delta * (1 - delta)
    q = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    distance = gained - lost - n * delta
    if variance <= 0:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)
