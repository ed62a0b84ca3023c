"""Quantiles have the interval of the binomial distribution, which covers the true one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from longctx.stats.quantiles import quantile


@pytest.mark.parametrize("share", [0.5, 0.95])
@pytest.mark.parametrize("n", [5, 20, 59, 100, 200])
def test_the_interval_of_a_quantile_is_that_of_the_binomial_distribution(n: int, share: float) -> None:
    found = quantile([float(value) for value in range(1, n + 1)], share)
    assert found is not None
    low = max((r for r in range(1, n + 1) if stats.binom.cdf(r - 1, n, share) <= 0.025), default=None)
    high = min((s for s in range(1, n + 1) if stats.binom.sf(s - 1, n, share) <= 0.025), default=None)
    assert (found.lo, found.hi, found.n) == (low, high, n)


def test_the_interval_covers_the_true_quantile() -> None:
    draws = np.random.RandomState(0).exponential(size=(400, 80))
    true = float(np.log(2))
    inside = [
        found is not None and found.lo is not None and found.hi is not None and found.lo <= true <= found.hi
        for found in (quantile(list(values), 0.5) for values in draws)
    ]
    assert 0.95 <= np.mean(inside) <= 0.99


def test_few_values_bound_no_high_quantile() -> None:
    found = quantile([1.0, 2.0, 3.0], 0.95)
    assert found is not None
    assert found.hi is None
    assert quantile([], 0.5) is None
