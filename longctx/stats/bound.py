"""How large may a drop be? An upper bound that respects clusters and stays honest at 0% and 100%.

Trials that stand alone: Tango's score bound (measure/paired.py). In clusters, the larger of two bounds, both over what
one cluster tells: Tango's with the trials counted at their effective number (the design effect of L. Kish, "Survey
Sampling", 1965), which knows that nothing seen is not nothing there; and N. Gaffke's ("Three test statistics for a
nonparametric one-sided hypothesis on the mean of a nonnegative variable", Math. Methods of Statistics 14, 2005), which
knows that a few clusters may hold most of a drop. Tango's alone passes a drop of the margin too often
(benchmarks/gate/RESULTS.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from longctx.stats.paired import score, tango
from longctx.stats.search import bisect

UNSEEN = 0.4
"""The share of its trials that a cluster not seen may have lost, or the most that one seen has, if that is more.

Gaffke's bound takes the largest possible share, 1: no margin of 0.05 could be shown with fewer than 59 clusters. Of the
tenths, this is the smallest that passed a drop of exactly the margin in at most 5% of simulated gates, even where half
of the difficulty's variance is new to each section (benchmarks/gate/RESULTS.md).
"""
DRAWS = 4000
"""Draws of the clusters' weights, for Gaffke's bound: the same on every machine."""


def drop_bound(clusters: Sequence[Sequence[int]], alpha: float = 0.05) -> float:
    """The upper end of the one-sided interval of the drop, confidence 1 - alpha; between -1 and 1.

    clusters: of each, its trials' changes: 1 gained, -1 lost, 0 neither. 1 without trials.
    """
    changes = list(chain.from_iterable(clusters))
    if not changes:
        return 1.0
    shrink = design_effect(clusters)
    gained, lost = (changes.count(sign) / shrink for sign in (1, -1))
    bound = -tango(gained, lost, len(changes) / shrink, NormalDist().inv_cdf(1 - alpha))[0]
    sums = [sum(cluster) for cluster in clusters if cluster]
    return bound if len(sums) == len(changes) else max(bound, _over_clusters(sums, len(changes), alpha))


def design_effect(clusters: Sequence[Sequence[int]]) -> float:
    """How many clustered trials tell as much as one that stands alone; at least 1.

    Where nothing changed, a cluster could not show how its trials hang together: it counts as one trial.
    """
    sizes = [size for size in map(len, clusters) if size]
    trials = sum(sizes)
    if len(sizes) == trials:
        return 1.0
    sums = [sum(cluster) for cluster in clusters if cluster]
    changed = trials - list(chain.from_iterable(clusters)).count(0)
    mean = sum(sums) / trials
    alone = changed - trials * mean * mean
    if len(sizes) < 2 or alone < 1e-9:
        return trials / len(sizes)
    together = sum((one - size * mean) ** 2 for one, size in zip(sums, sizes, strict=True))
    return max(1.0, together / alone * len(sizes) / (len(sizes) - 1))


def trials_to_settle(
    discordance: float, margin: float, alpha: float = 0.05, shrink: float = 1.0, size: float = 1.0, power: float = 0.9
) -> int:
    """The smallest number of trials whose bound lies below the margin with a chance of `power` if nothing had changed.

    discordance: the share of pairs that change, half of them each way. shrink: the design effect. size: the trials of
    a cluster; of its two bounds, Gaffke's by a normal approximation, Tango's also as it is if no trial changes.
    """
    z, unlucky = (NormalDist().inv_cdf(share) for share in (1 - alpha, power))

    def settled(n: int) -> bool:
        changed = discordance * n / shrink
        lost = min(changed, (changed + unlucky * math.sqrt(changed)) / 2)
        spread = math.sqrt(discordance * shrink / n)
        in_clusters = expected_over_clusters(n / size, spread, z) + unlucky * spread < margin
        unchanged = score(0, 0, n / size, -margin) > z
        return score(changed - lost, lost, n / shrink, -margin) > z and (size == 1 or (in_clusters and unchanged))

    high = 1
    while not settled(high):
        high *= 2
    return bisect(settled, high // 2, high)


def expected_over_clusters(clusters: float, spread: float, z: float) -> float:
    """About where the bound over clusters lies if nothing changed: its normal approximation.

    spread: the standard deviation of the mean change, from which that of one cluster and the most that one of so many
    loses follow. z: the quantile of the confidence.
    """
    most = spread * math.sqrt(2 * clusters * math.log(max(clusters, 1)))
    unseen = min(1.0, max(UNSEEN, most)) / (clusters + 1)
    return unseen + z * math.hypot(unseen, spread)


def _over_clusters(sums: Sequence[int], trials: int, alpha: float) -> float:
    """Gaffke's bound: the quantile of the mean under random weights of the clusters and of one that was not seen.

    sums: of each cluster, gained minus lost. A cluster counts by its share of an average cluster's trials.
    """
    lost = np.sort(-np.array(sums, dtype=float)) * len(sums) / trials
    means = _weights(len(sums)) @ np.append(lost, max(UNSEEN, lost[-1]))
    return min(1.0, float(np.quantile(means, 1 - alpha)))


@lru_cache(maxsize=8)
def _weights(clusters: int) -> NDArray[np.float64]:
    """(DRAWS, clusters + 1): random weights that add up to 1, every set of weights as likely as any other."""
    drawn = np.random.RandomState(0).standard_exponential((DRAWS, clusters + 1))
    weights: NDArray[np.float64] = drawn / drawn.sum(axis=1, keepdims=True)
    return weights
