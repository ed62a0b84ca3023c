"""Evidence that may be looked at after every round of a run: it stays honest whenever the run is stopped.

A bettor starts with 1 and stakes a part of the capital on every cluster, at odds that are fair if nothing was there to
find: the capital then reaches 1/alpha at any time with a chance of at most alpha (J. Ville, 1939; A. Ramdas,
P. Grünwald, V. Vovk, G. Shafer, "Game-theoretic statistics and safe anytime-valid inference", Statistical Science 38,
2023). How much to stake is not known beforehand, so equal parts of the capital stake from nearly nothing to nearly all
(H. Robbins's mixture, Annals of Math. Statistics 41, 1970).

The order of clusters does not matter. As each part stakes the same throughout, its capital after a balanced round of
independent trials is at most what it would be if all had the mean of the round (the geometric mean is no larger than
the arithmetic): what is tested is the mean of a band, whose scenarios may differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

STAKES = (np.arange(50) + 0.5) / 50
"""Shares of the capital; the same share of it starts with each."""


def drop_p_value(sums: Sequence[int]) -> float:
    """p-value of a drop, at any time: one over the capital of a bet that a cluster that changed has lost.

    sums: for each cluster, pairs gained minus pairs lost; as in measure/signflip.py, its sign is a fair coin's if
    nothing changed.
    """
    signs = np.sign(sums)
    won = capital([1.0, -1.0], [(signs < 0).sum(), (signs > 0).sum()])
    return min(1.0, float(1 / won))


def drop_bound(clusters: Sequence[Sequence[int]], alpha: float = 0.05) -> float:
    """The upper bound of the mean drop of a cluster, confidence 1 - alpha at any time; between -1 and 1.

    clusters: of each, its trials' changes: 1 gained, -1 lost, 0 neither. The bound is the smallest drop that a bet
    against it has refuted (I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by betting",
    JRSS B 86, 2024). 1 without trials.
    """
    drops = Counter(-sum(cluster) / len(cluster) for cluster in clusters if cluster)
    values, counts = np.array(list(drops)), np.array(list(drops.values()))
    low, high = -1.0, 1.0
    while drops and high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if against_drop(middle, values, counts) >= 1 / alpha else (middle, high)
    return high


def against_drop(drop: float, drops: NDArray[np.float64], counts: ArrayLike) -> NDArray[np.float64]:
    """The capital of a bet that the mean drop is smaller than `drop`, after clusters of these `drops` (see capital)."""
    return capital((drop - drops) / (1 - drop), counts)


def capital(returns: ArrayLike, counts: ArrayLike) -> NDArray[np.float64]:
    """What 1 has become after `counts` (..., k) bets with these `returns` (k), each at least -1, the whole stake."""
    logs = np.asarray(counts, dtype=float) @ np.log1p(np.asarray(returns, dtype=float)[:, None] * STAKES)
    most = logs.max(axis=-1, keepdims=True)
    won: NDArray[np.float64] = np.exp(np.minimum(most[..., 0], 600)) * np.exp(logs - most).mean(axis=-1)
    return won
