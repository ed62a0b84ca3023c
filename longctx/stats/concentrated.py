"""Which clusters lost more together than chance explains.

If nothing changed, losses are as likely as gains, and fall on any trials. So the changes are permuted among the trials
of a band that were as good before; of losses, no more are kept than the gains make likely, so that what was lost
together does not hide itself. A cluster is named that lost more, by its size, than any cluster does in 95% of the
permutations (P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", 1993: the distribution of the
maximum).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS = 499
"""They are frozen: the same changes name the same clusters."""
CHANCE = 0.05
"""The probability that any cluster is named though nothing has changed."""
LEAST_LOST, LEAST_SHARE = 2, 0.5
"""A cluster is named that lost so many trials on balance, and this share of those that were right."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A trial. cluster: the number of its cluster. stratum: trials are exchanged within one, such as a band."""

    cluster: int
    stratum: object
    before: float
    """Its credit before the change."""
    change: float


def lost_together(trials: Sequence[Changed]) -> list[int]:
    """Return the numbers of the clusters that lost more than chance explains."""
    if not trials:
        return []
    clusters = np.array([trial.cluster for trial in trials])
    before, changes = (np.array([getattr(trial, name) for trial in trials], float) for name in ("before", "change"))
    sizes, right = np.bincount(clusters), np.bincount(clusters, before)
    least = np.maximum(LEAST_LOST, LEAST_SHARE * right)

    def extent(of_trials: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much each cluster lost, by its size; 0 for one that lost too little to be named."""
        lost = -np.bincount(clusters, of_trials, len(sizes))
        found: NDArray[np.float64] = np.where(lost >= least - 1e-9, lost / np.sqrt(np.maximum(sizes, 1)), 0.0)
        return found

    observed = extent(changes)
    if not observed.any():
        return []
    strata = [np.array(places) for places in _strata(trials).values()]
    random, most = np.random.RandomState(0), np.zeros(PERMUTATIONS)
    kept = _likely(changes)
    for number in range(PERMUTATIONS):
        thinned = np.where((changes >= 0) | (random.random_sample(len(changes)) < kept), changes, 0.0)
        for places in strata:
            thinned[places] = thinned[random.permutation(places)]
        most[number] = extent(thinned).max()
    as_large = (most[:, None] >= observed - 1e-9).sum(axis=0)
    named = (observed > 0) & (as_large + 1 <= CHANCE * (PERMUTATIONS + 1))
    return [int(cluster) for cluster in np.flatnonzero(named)]


def _likely(changes: NDArray[np.float64]) -> float:
    """Return the share of the losses that is likely by chance, given how much was gained."""
    gained, lost = changes[changes > 0].sum(), -changes[changes < 0].sum()
    return float(min(1.0, (gained + 2 * math.sqrt(gained) + 1) / lost)) if lost else 1.0


def _strata(trials: Sequence[Changed]) -> dict[object, list[int]]:
    """Return the places of the trials that are exchanged: of one stratum, and always, sometimes or never right."""
    strata: dict[object, list[int]] = {}
    for place, trial in enumerate(trials):
        strata.setdefault((trial.stratum, math.ceil(trial.before) + math.floor(trial.before)), []).append(place)
    return strata
