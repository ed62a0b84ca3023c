"""The mean length of a model's replies, with its interval."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

LEAST = 3
"""The fewest answers that say how long replies are."""


@dataclass(frozen=True, slots=True)
class ReplyTokens:
    """The mean tokens of a model's replies to a family, thinking included, with its 95% interval."""

    mean: float
    lo: float
    hi: float
    answers: int

    @classmethod
    def of(cls, tokens: Sequence[int]) -> ReplyTokens | None:
        """Return the mean of the replies of some answers; None if they are too few to say."""
        if len(tokens) < LEAST:
            return None
        return cls(*mean_interval(tokens), len(tokens))

    def __str__(self) -> str:
        return f"{self.mean:,.0f} tokens ({self.lo:,.0f} to {self.hi:,.0f})"


def mean_interval(amounts: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of at least two amounts, none of which is negative, and the ends of its 95% interval."""
    mean = statistics.fmean(amounts)
    half = t_quantile(len(amounts) - 1) * statistics.stdev(amounts) / math.sqrt(len(amounts))
    return mean, max(0.0, mean - half), mean + half


def t_quantile(degrees: int) -> float:
    """Return the 97.5% quantile of Student's t (E. A. Cornish and R. A. Fisher's expansion; below 3, from tables)."""
    if degrees < 3:
        return {1: 12.706, 2: 4.303}[degrees]
    z = statistics.NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / (4 * degrees)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    return z + first + second + third
