"""Power of two runs that share no trials, to show what pairing saves.

These are normal approximations for n trials in each run; with n = 100, the power is within 0.04 of the exact one, and
within 0.07 near rates of 0 and 1. The test is that of two proportions with pooled variance, one-sided and without
continuity correction (J. L. Fleiss, B. Levin and M. C. Paik, "Statistical Methods for Rates and Proportions", 3rd ed.
2003, chapter 4). A pass uses the unpaired counterpart of Tango's score bound (C. P. Farrington and G. Manning, "Test
statistics and sample size formulae for comparative binomial trials", Statistics in Medicine 9, 1990).
"""

from __future__ import annotations

import math
from statistics import NormalDist

from longctx.stats.search import MOST_TRIALS, least

NORMAL = NormalDist()


def power(n: float, rate: float, drop: float, alpha: float) -> float:
    """Return the probability that a drop from `rate` is shown at `alpha`. 0 < rate < 1; 0 <= drop <= rate."""
    pooled, unpooled = _spreads(rate, drop)
    return NORMAL.cdf((drop * math.sqrt(n) - NORMAL.inv_cdf(1 - alpha) * pooled) / unpooled)


def smallest_drop(n: float, rate: float, alpha: float, wanted: float) -> float | None:
    """Return the smallest drop that n trials per run show with power `wanted`; None if not even one to 0 is shown."""
    return least(lambda drop: power(n, rate, drop, alpha) >= wanted, rate)


def trials_for_drop(drop: float, rate: float, alpha: float, wanted: float) -> int | None:
    """Return the fewest trials per run that show `drop` with power `wanted`; None for more than search.MOST_TRIALS."""
    pooled, unpooled = _spreads(rate, drop)
    root = (NORMAL.inv_cdf(1 - alpha) * pooled + NORMAL.inv_cdf(wanted) * unpooled) / drop
    return _rounded_up(max(0.0, root) ** 2)


def trials_to_pass(rate: float, margin: float, alpha: float, wanted: float) -> int | None:
    """Return the fewest trials per run that pass with probability `wanted` if nothing changed: the bound of the drop
    lies below the margin. None for more than search.MOST_TRIALS."""
    at_margin, unchanged = _spread_at_margin(rate, margin), math.sqrt(2 * rate * (1 - rate))
    root = (NORMAL.inv_cdf(1 - alpha) * at_margin + NORMAL.inv_cdf(wanted) * unchanged) / margin
    return _rounded_up(max(0.0, root) ** 2)


def discordance(rate: float) -> float:
    """Return the share of trials that two independent runs of this rate answer differently."""
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

    low, high = margin, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if not margin < middle < 1:
            break
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return math.sqrt(high * (1 - high) + (high - margin) * (1 - high + margin))


def _rounded_up(n: float) -> int | None:
    trials = max(1, math.ceil(n))
    return trials if trials <= MOST_TRIALS else None
