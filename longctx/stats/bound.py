"""An upper bound of a drop over clusters of trials, and how many trials bound a drop to less than a margin.

The bound is N. Gaffke's ("Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
variable", Math. Methods of Statistics 14, 2005). It is a part of that of stats/averaged.py.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from longctx.stats.paired import score
from longctx.stats.search import fewest

UNSEEN = 0.4
"""The share of its trials that an unobserved cluster is assumed to lose; the largest observed share, if that is larger.

Gaffke's own bound assumes the largest possible share, 1, with which no margin of 0.05 could be shown with fewer than 59
clusters. In steps of 0.1, this is the smallest share that passed a drop of exactly the margin in at most 5% of
simulated gates, even where half of the difficulty's variance is within sections (benchmarks/gate/RESULTS.md).
"""
UNSEEN_GAIN = 0.2
"""The share of its trials that an unobserved cluster is assumed to gain where the same weights test a drop.

With few clusters the sign-flip test assumes too much: that losses are spread over them as gains are. In steps of 0.1,
this is the smallest share with which 5 to 14 clusters raise fewer false alarms than 15 to 60 do without it
(benchmarks/gate/FEW.md).
"""
DRAWS = 4000
"""Random weightings of the clusters that Gaffke's bound takes its quantile from. They are frozen."""
MOST_WEIGHTED = 300
"""With more clusters, those that lost as much are weighted together: a matrix of all weights would take gigabytes."""


def trials_to_settle(
    discordance: float, margin: float, alpha: float = 0.05, deff: float = 1.0, size: float = 1.0, power: float = 0.9
) -> int:
    """Return the smallest number of trials whose bound is below the margin with probability `power` if nothing changed.

    discordance: the share of discordant pairs, half of them each way. deff: the design effect. size: trials per
    cluster. Gaffke's bound is approximated by a normal distribution; Tango's must also hold if no trial changes.
    """
    z, unlucky = (NormalDist().inv_cdf(share) for share in (1 - alpha, power))

    def settled(n: int) -> bool:
        changed = discordance * n / deff
        lost = min(changed, (changed + unlucky * math.sqrt(changed)) / 2)
        spread = math.sqrt(discordance * deff / n)
        in_clusters = expected_over_clusters(n / size, spread, z) + unlucky * spread < margin
        unchanged = score(0, 0, n / size, -margin) > z
        return score(changed - lost, lost, n / deff, -margin) > z and (size == 1 or (in_clusters and unchanged))

    trials = fewest(settled, most=sys.maxsize)
    assert trials is not None, "some number settles every margin above 0"
    return trials


def expected_over_clusters(clusters: float, spread: float, z: float) -> float:
    """Return the normal approximation of Gaffke's bound if nothing changed.

    spread: the standard deviation of the mean change; the largest share that a cluster loses is estimated from it.
    z: the normal quantile of the confidence.
    """
    most = spread * math.sqrt(2 * clusters * math.log(max(clusters, 1)))
    unseen = min(1.0, max(UNSEEN, most)) / (clusters + 1)
    return unseen + z * math.hypot(unseen, spread)


def over_clusters(sums: Sequence[float], trials: int, alpha: float) -> float:
    """Return Gaffke's bound: a quantile of the mean under random weights of the clusters and of an unobserved one.

    sums: gained minus lost of each cluster. Clusters are scaled by the mean cluster size.
    """
    lost = [-total for total in sums]
    return min(1.0, float(np.quantile(_means(lost, trials, UNSEEN), 1 - alpha)))


def p_value_over_clusters(sums: Sequence[float], trials: int) -> float:
    """Return the share of such means, with an unobserved cluster that gained, in which nothing is lost.

    sums: see `over_clusters`.
    """
    return float((1 + (_means(sums, trials, UNSEEN_GAIN) >= 0).sum()) / (1 + DRAWS))


def _means(sums: Sequence[float], trials: int, unseen: float) -> NDArray[np.float64]:
    """Return the mean share of a cluster under random weights. unseen: that of one more, or the largest observed."""
    shares = np.sort(np.array(sums, dtype=float)) * len(sums) / trials
    shares = np.append(shares, max(unseen, shares[-1]))
    return _weights(len(sums)) @ shares if len(sums) <= MOST_WEIGHTED else _weighted_together(shares)


@lru_cache(maxsize=8)
def _weights(clusters: int) -> NDArray[np.float64]:
    """Return random weights that add up to 1, uniform on the simplex; shape (DRAWS, clusters + 1)."""
    drawn = np.random.RandomState(0).standard_exponential((DRAWS, clusters + 1))
    weights: NDArray[np.float64] = drawn / drawn.sum(axis=1, keepdims=True)
    return weights


def _weighted_together(lost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means under random weights of the same distribution: equal values have the sum of their weights."""
    values, counts = np.unique(lost.round(9), return_counts=True)
    drawn = np.random.RandomState(0).standard_gamma(counts, (DRAWS, len(counts)))
    means: NDArray[np.float64] = drawn @ values / drawn.sum(axis=1)
    return means
