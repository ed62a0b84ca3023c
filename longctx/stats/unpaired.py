"""The same questions of two runs that share no trials, for comparison: what would it take without pairing?

Normal approximations for n trials in each run; with 100, a power is within 0.04 of the exact one, and within 0.07 near
rates of 0 and 1. The test: two proportions, variance pooled, one-sided; J. L. Fleiss,
B. Levin and M. C. Paik, "Statistical Methods for Rates and Proportions", 3rd ed. 2003, chapter 4, without continuity
correction. The pass: the score bound that is Tango's without the pairs; C. P. Farrington and G. Manning, "Test
statistics and sample size formulae for comparative binomial trials", Statistics in Medicine 9, 1990.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from longctx.stats.search import MOST_TRIALS, least

NORMAL = NormalDist()


def power(n: float, rate: float, drop: float, alpha: float) -> float:
    """The probability that a drop from `rate` is shown, at `alpha`. 0 < rate < 1; drop: 0 to `rate`."""
    pooled, apart = _spreads(rate, drop)
    return NORMAL.cdf((drop * math.sqrt(n) - NORMAL.inv_cdf(1 - alpha) * pooled) / apart)


def smallest_drop(n: float, rate: float, alpha: float, wanted: float) -> float | None:
    """The smallest drop that n trials a run show with the power `wanted`; None where not even a fall to 0 shows."""
    return least(lambda drop: power(n, rate, drop, alpha) >= wanted, rate)


def trials_for_drop(drop: float, rate: float, alpha: float, wanted: float) -> int | None:
    """The fewest trials a run that show `drop` with the power `wanted`; None for more than search.MOST_TRIALS."""
    pooled, apart = _spreads(rate, drop)
    root = (NORMAL.inv_cdf(1 - alpha) * pooled + NORMAL.inv_cdf(wanted) * apart) / drop
    return _whole(max(0.0, root) ** 2)


def trials_to_pass(rate: float, margin: float, alpha: float, wanted: float) -> int | None:
    """The fewest trials a run with which the bound of the drop lies below the margin, with probability `wanted`, if
    nothing changed; None for more than search.MOST_TRIALS."""
    at_margin, unchanged = _spread_at_margin(rate, margin), math.sqrt(2 * rate * (1 - rate))
    root = (NORMAL.inv_cdf(1 - alpha) * at_margin + NORMAL.inv_cdf(wanted) * unchanged) / margin
    return _whole(max(0.0, root) ** 2)


def discordance(rate: float) -> float:
    """The share of trials that two independent runs of this rate answer differently, in one way or the other."""
    return 2 * rate * (1 - rate)


def _spreads(rate: float, drop: float) -> tuple[float, float]:
    """Standard deviations of a difference, times the root of n: the rates taken as one, and each by itself."""
    lower = rate - drop
    mean = (rate + lower) / 2
    return math.sqrt(2 * mean * (1 - mean)), math.sqrt(rate * (1 - rate) + lower * (1 - lower))


def _spread_at_margin(rate: float, margin: float) -> float:
    """As above, of the likeliest rates that lie `margin` apart where both runs show `rate`."""

    def slope(first: float) -> float:
        """The derivative of the likelihood; it falls as the first rate grows."""
        second = first - margin
        return rate * (1 / first + 1 / second) - (1 - rate) * (1 / (1 - first) + 1 / (1 - second))

    low, high = margin, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if not margin < middle < 1:
            break
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return math.sqrt(high * (1 - high) + (high - margin) * (1 - high + margin))


def _whole(n: float) -> int | None:
    found = max(1, math.ceil(n))
    return found if found <= MOST_TRIALS else None
