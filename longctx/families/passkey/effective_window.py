"""The effective context window of passkey retrieval: k_max and the protocol's two bounds.

Source: S. Chen et al., 2023, section 3.3, https://arxiv.org/abs/2306.15595.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longctx.stats.rates import Rate

SUCCESS_RATE = 0.2
"""k_max is the largest k such that every k' <= k succeeds at least this often."""


DRAWS = 2000
"""Draws from the rates' posterior distribution, for the interval of k_max."""


@dataclass(frozen=True, slots=True)
class EffectiveWindow:
    """The effective window in tokens. A value is None if no k satisfies its definition.

    k_max: by the 20% rule. at_least: the largest k up to which every trial of every k succeeded ("consistently
    succeeds"). less_than: the smallest k at which every trial failed ("persistently fails").
    """

    k_max: int | None
    at_least: int | None
    less_than: int | None


def effective_window(by_k: Mapping[int, Rate]) -> EffectiveWindow:
    """Compute the effective window from the rate at each k. k_max and at_least stop at a k without measured trials."""
    k_max = at_least = None
    ordered = sorted(by_k)
    for k in ordered:
        if by_k[k].n == 0 or by_k[k].rate < SUCCESS_RATE:
            break
        k_max = k
    for k in ordered:
        if by_k[k].n == 0 or by_k[k].correct < by_k[k].n:
            break
        at_least = k
    less_than = next((k for k in ordered if by_k[k].n and by_k[k].correct == 0), None)
    return EffectiveWindow(k_max, at_least, less_than)


def k_max_interval(by_k: Mapping[int, Rate]) -> tuple[int, int]:
    """Return the 95% interval of k_max in tokens. An end of 0 means less than the smallest k.

    Each k's rate is drawn from its Jeffreys posterior, each draw is made non-increasing in k (isotonic regression,
    weighted by trials), and k_max is read from it. Unlike a bootstrap, this gives an interval even if all trials
    succeed or fail. If the rate rises again with k, the 20% rule stops at a dip that the draws smooth out; the interval
    is then widened to contain it. The draws are frozen.
    """
    ordered = sorted(by_k)
    if not ordered:
        return 0, 0
    correct = np.array([by_k[k].correct for k in ordered], dtype=float)
    n = np.array([by_k[k].n for k in ordered], dtype=float)
    drawn = np.random.RandomState(0).beta(correct + 0.5, n - correct + 0.5, size=(DRAWS, len(ordered)))
    reached = steps_reached(drawn, n)
    ends = np.quantile(reached, (0.025, 0.975), method="inverted_cdf").astype(int)
    lo, hi = (([0, *ordered])[end] for end in ends)
    seen = effective_window(by_k).k_max or 0
    return min(lo, seen), max(hi, seen)


def steps_reached(drawn: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many values of k, from the smallest, each draw of the rates reaches by the 20% rule.

    drawn: shape (draws, k); the draws are made non-increasing in k first. n: the trials of each k, shape (k,).
    """
    reached: NDArray[np.int64] = (_non_increasing(drawn, n + 1) >= SUCCESS_RATE).sum(axis=1)
    return reached


def _non_increasing(rates: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest non-increasing sequence to each row: at i, max over b >= i of min over a <= i of mean(a..b).

    rates: shape (draws, k). weights: positive, shape (k,). Source: R. E. Barlow et al., "Statistical Inference under
    Order Restrictions", 1972, the min-max formula.
    """
    total = np.concatenate([np.zeros((len(rates), 1)), np.cumsum(rates * weights, axis=1)], axis=1)
    weight = np.concatenate([[0.0], np.cumsum(weights)])
    fitted = np.full(rates.shape, -np.inf)
    for b in range(rates.shape[1]):
        means = (total[:, b + 1, None] - total[:, : b + 1]) / (weight[b + 1] - weight[: b + 1])
        np.maximum(fitted[:, : b + 1], np.minimum.accumulate(means, axis=1), out=fitted[:, : b + 1])
    return fitted
