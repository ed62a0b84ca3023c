"""How large may a drop be? An upper bound that respects clusters and stays honest at 0% and 100%.

Tango's score bound for paired trials (measure/paired.py), with the trials counted at their effective number: trials of
one cluster that change together tell less than as many apart (the design effect of L. Kish, "Survey Sampling", 1965).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

from longctx.measure.paired import tango


def drop_bound(clusters: Sequence[Sequence[int]], alpha: float = 0.05) -> float:
    """The upper end of the one-sided interval of the drop, confidence 1 - alpha; between -1 and 1.

    clusters: of each, its trials' changes: 1 gained, -1 lost, 0 neither. 1 without trials.
    """
    changes = [change for cluster in clusters for change in cluster]
    if not changes:
        return 1.0
    shrink = design_effect(clusters)
    gained, lost = (sum(change == sign for change in changes) / shrink for sign in (1, -1))
    return -tango(gained, lost, len(changes) / shrink, NormalDist().inv_cdf(1 - alpha))[0]


def design_effect(clusters: Sequence[Sequence[int]]) -> float:
    """How many clustered trials tell as much as one that stands alone; at least 1.

    Where nothing changed, a cluster could not show how its trials hang together: it counts as one trial.
    """
    sizes = [len(cluster) for cluster in clusters if cluster]
    trials = sum(sizes)
    if len(sizes) == trials:
        return 1.0
    changes = [change for cluster in clusters for change in cluster]
    mean = sum(changes) / trials
    alone = sum((change - mean) ** 2 for change in changes)
    largest = trials / len(sizes)
    if not alone or len(sizes) < 2:
        return largest
    together = sum((sum(cluster) - len(cluster) * mean) ** 2 for cluster in clusters)
    return max(1.0, together / alone * len(sizes) / (len(sizes) - 1))


def trials_to_settle(discordance: float, margin: float, alpha: float = 0.05, shrink: float = 1.0) -> int:
    """The smallest number of trials whose bound lies below the margin if nothing had changed.

    discordance: the share of pairs that change, half of them each way. shrink: the design effect.
    """
    z = NormalDist().inv_cdf(1 - alpha)

    def settled(n: int) -> bool:
        effective = n / shrink
        each_way = discordance * effective / 2
        return -tango(each_way, each_way, effective, z)[0] < margin

    high = 1
    while not settled(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if settled(middle) else (middle, high)
    return high
