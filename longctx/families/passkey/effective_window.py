"""The effective context window of passkey retrieval: k_max and the seed's two bounds.

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
"""Draws from the rates' posterior, for the interval of k_max."""


@dataclass(frozen=True, slots=True)
class EffectiveWindow:
    """In tokens. None where no k satisfies the definition.

    k_max: by the 20% rule. at_least: the largest k up to which every trial of every k succeeded ("consistently
    succeeds"). less_than: the smallest k at which every trial failed ("persistently fails").
    """

    k_max: int | None
    at_least: int | None
    less_than: int | None


def effective_window(by_k: Mapping[int, Rate]) -> EffectiveWindow:
    """From the rate at each k. A k without measured trials ends what lies below it."""
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
    """The 95% interval of k_max, in tokens; 0 as an end stands for less than the smallest k, or for no k at all.

    Each k's rate is drawn from its Jeffreys posterior, each draw is made non-increasing in k (isotonic regression,
    weighted by trials), and k_max is read from it: honest where all trials succeed or fail, where a bootstrap
    cannot move. Where success rises again with distance, the 20% rule stops at a dip that the draws smooth out; the
    interval is widened to hold it. The draws are the same on every machine.
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
    """How many steps of k, from the smallest, each draw of their rates reaches by the 20% rule.

    drawn: (draws, k), made non-increasing in k first. n: (k,), trials of each.
    """
    reached: NDArray[np.int64] = (_non_increasing(drawn, n + 1) >= SUCCESS_RATE).sum(axis=1)
    return reached


def _non_increasing(rates: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest non-increasing sequence to each row: at i, the largest over b >= i of the least mean of a..b, a <= i.

    rates: (draws, k). weights: (k,), positive. Source: R. E. Barlow et al., "Statistical Inference under Order
    Restrictions", 1972, the min-max formula.
    """
    total = np.concatenate([np.zeros((len(rates), 1)), np.cumsum(rates * weights, axis=1)], axis=1)
    weight = np.concatenate([[0.0], np.cumsum(weights)])
    found = np.full(rates.shape, -np.inf)
    for b in range(rates.shape[1]):
        means = (total[:, b + 1, None] - total[:, : b + 1]) / (weight[b + 1] - weight[: b + 1])
        np.maximum(found[:, : b + 1], np.minimum.accumulate(means, axis=1), out=found[:, : b + 1])
    return found
