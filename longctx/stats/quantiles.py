"""A quantile with its interval, whatever the distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Quantile:
    """A quantile of n values. An end of its interval is None if too few values were measured to bound it."""

    value: float
    lo: float | None
    hi: float | None
    n: int


def quantile(values: Sequence[float], share: float, alpha: float = 0.05) -> Quantile | None:
    """Return a quantile with its two-sided interval at confidence 1 - alpha; None without values.

    share: of the values that lie below it, such as 0.95.
    """
    if not values:
        return None
    ordered, n = sorted(values), len(values)
    at_most = _binomial(n, share)  # at_most[k]: the probability that k values or fewer lie below the true quantile
    low = int(np.searchsorted(at_most, alpha / 2, side="right"))
    high = int(np.searchsorted(at_most, 1 - alpha / 2, side="left"))
    return Quantile(
        float(np.quantile(ordered, share)),
        ordered[low - 1] if low > 0 else None,
        ordered[high] if high < n else None,
        n,
    )


def _binomial(n: int, share: float) -> NDArray[np.float64]:
    """Return the distribution function of the binomial distribution at 0 to n."""
    k = np.arange(n + 1)
    log_factorial = np.append(0.0, np.cumsum(np.log(k[1:])))
    log_choose = log_factorial[n] - log_factorial - log_factorial[::-1]
    chance: NDArray[np.float64] = np.cumsum(np.exp(log_choose + k * np.log(share) + (n - k) * np.log1p(-share)))
    return chance
