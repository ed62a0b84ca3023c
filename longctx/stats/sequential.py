"""Anytime-valid evidence: it may be looked at after every round of a run and stays valid whenever the run is stopped.

A bettor starts with a capital of 1 and stakes a share of it on every cluster, at odds that are fair under the null
hypothesis: the capital then ever reaches 1/alpha with a probability of at most alpha (J. Ville, 1939; A. Ramdas,
P. Grünwald, V. Vovk, G. Shafer, "Game-theoretic statistics and safe anytime-valid inference", Statistical Science 38,
2023). The best stake is not known beforehand, so equal parts of the capital play stakes from nearly 0 to nearly 1
(H. Robbins's mixture, Annals of Math. Statistics 41, 1970).

The order of clusters does not matter. As each part of the capital keeps its stake, its value after a balanced round of
independent trials is at most what it would be if all had the mean of the round (the geometric mean is no larger than
the arithmetic). So the mean of a band is tested, whose scenarios may differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

STAKES = (np.arange(50) + 0.5) / 50
"""The stakes, as shares of the capital. An equal part of the starting capital plays each."""


def drop_p_value(sums: Sequence[int]) -> float:
    """Return the anytime-valid p-value of a drop: 1 / the capital of a bet that a changed cluster has lost.

    sums: for each cluster, pairs gained minus pairs lost. If nothing changed, both signs are equally likely, as in
    stats/signflip.py.
    """
    signs = np.sign(sums)
    return min(1.0, float(1 / capital([1.0, -1.0], [(signs < 0).sum(), (signs > 0).sum()])))


def drop_bound(clusters: Sequence[Sequence[int]], alpha: float = 0.05) -> float:
    """Return the upper bound of the mean drop of a cluster, between -1 and 1, with confidence 1 - alpha at any time.

    clusters: the changes of each cluster's trials: 1 gained, -1 lost, 0 neither. The bound is the smallest drop that a
    bet against it has refuted (I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by betting",
    JRSS B 86, 2024). Without trials it is 1.
    """
    drops = Counter(-sum(cluster) / len(cluster) for cluster in clusters if cluster)
    values, counts = np.array(list(drops)), np.array(list(drops.values()))
    low, high = -1.0, 1.0
    while drops and high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if against_drop(middle, values, counts) >= 1 / alpha else (middle, high)
    return high


def against_drop(drop: float, drops: NDArray[np.float64], counts: ArrayLike) -> NDArray[np.float64]:
    """Return the capital of a bet that the mean drop is smaller than `drop`, after `counts` of these `drops`."""
    return capital((drop - drops) / (1 - drop), counts)


def capital(returns: ArrayLike, counts: ArrayLike) -> NDArray[np.float64]:
    """Return what a capital of 1 has become after bets with these returns.

    returns: shape (k,), per unit staked, each at least -1, the loss of the stake. counts: how often each return came,
    shape (..., k).
    """
    logs = np.asarray(counts, dtype=float) @ np.log1p(np.asarray(returns, dtype=float)[:, None] * STAKES)
    most = logs.max(axis=-1, keepdims=True)
    value: NDArray[np.float64] = np.exp(np.minimum(most[..., 0], 600)) * np.exp(logs - most).mean(axis=-1)
    return value
