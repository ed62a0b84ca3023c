"""Which clusters, such as documents, lost or gained more together than chance explains.

The changes are permuted among the trials of a band that were as good before. Without a change of the system, losses are
as likely as gains; so of the losses no more are kept than the gains make likely, and of the gains no more than the
losses do: what was lost together does not hide itself. Changes of one cluster are alike without a change, too: in each
permutation every cluster has a weight for losses and one for gains, drawn from a gamma distribution. A cluster is named
whose change, by its size, is larger than that of any cluster in most of the permutations (P. H. Westfall and S. S.
Young, "Resampling-Based Multiple Testing", 1993: the distribution of the maximum). benchmarks/gate/TOGETHER.md has how
often that happens though nothing has changed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS = 999
"""They are frozen: the same changes name the same clusters."""
CHANCE = 0.04, 0.01
"""The probabilities that any cluster is named as lost, and as gained, though nothing has changed."""
CORRELATION = 0.03
"""By this the changes in a cluster correlate, so that permutations lose as much together as unchanged runs do."""
LEAST, LEAST_SHARE = 2, 0.5
"""A cluster is named that changed by so many trials on balance, and by this share of those that could change so."""
ROUNDING, TINY = 1e-9, 1e-300
BLOCK = 111
"""The permutations that are made at once; no more follow where those made decide."""
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Changed:
    """A trial."""

    cluster: int
    """The number of its cluster."""
    stratum: object
    """Trials are exchanged within one, such as a band."""
    before: float
    """Its credit before the change."""
    change: float


def together(trials: Sequence[Changed], tests: int = 1) -> tuple[list[int], list[int]]:
    """Return the numbers of the clusters that lost, and of those that gained, more than chance explains.

    tests: how many such questions are asked of the run.
    """
    if not trials:
        return [], []
    trials = sorted(trials, key=lambda trial: trial.cluster)
    names, clusters, sizes = np.unique([trial.cluster for trial in trials], return_inverse=True, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    before, changes = (np.array([getattr(trial, name) for trial in trials], float) for name in ("before", "change"))
    right = np.add.reduceat(before, starts)

    def extents(of_trials: Array) -> list[Array]:
        """Return how much each cluster lost, and gained, by its size; 0 where it is too little to be named."""
        change = np.add.reduceat(of_trials, starts, axis=-1)
        return [
            np.where(amount >= np.maximum(LEAST, LEAST_SHARE * possible) - ROUNDING, amount / np.sqrt(sizes), 0.0)
            for amount, possible in ((-change, right), (change, sizes - right))
        ]

    observed = extents(changes)
    most = [chance / tests * (PERMUTATIONS + 1) - 1 for chance in CHANCE]
    as_large = [np.where(extent > 0, 0.0, np.inf) for extent in observed]
    for permuted in _permutations(trials, changes, clusters):
        if not any((counts <= limit).any() for counts, limit in zip(as_large, most, strict=True)):
            break
        for counts, extent, permuted_extents in zip(as_large, observed, extents(permuted), strict=True):
            counts += (permuted_extents.max(axis=1)[:, None] >= extent - ROUNDING).sum(axis=0)
    lost, gained = (names[counts <= limit].tolist() for counts, limit in zip(as_large, most, strict=True))
    return lost, gained


def _permutations(trials: Sequence[Changed], changes: Array, clusters: NDArray[np.intp]) -> Iterator[Array]:
    """Yield the permuted changes, in blocks of many permutations."""
    random, number = np.random.RandomState(0), int(clusters.max()) + 1
    sums = float(-changes[changes < 0].sum()), float(changes[changes > 0].sum())
    kept = _likely(sums[0], sums[1]), _likely(sums[1], sums[0])
    changing = max(1.0, kept[0] * (changes < 0).sum() + kept[1] * (changes > 0).sum()) / len(changes)
    shape = changing / (2 * CORRELATION)
    strata: dict[object, list[int]] = defaultdict(list)
    for index, trial in enumerate(trials):
        strata[trial.stratum, math.ceil(trial.before) + math.floor(trial.before)].append(index)
    for _ in range(0, PERMUTATIONS, BLOCK):
        permuted = np.zeros((BLOCK, len(changes)))
        weights = [np.maximum(random.gamma(shape, 1 / shape, (BLOCK, number)), TINY) for _ in kept]
        for places in map(np.array, strata.values()):
            taken, inside = np.zeros((BLOCK, len(places)), bool), np.zeros((BLOCK, len(places)))
            stratum = changes[places]
            both = stratum[stratum < 0], stratum[stratum > 0]
            for some, share, weight in zip(both, kept, weights, strict=True):
                if not len(some):
                    continue
                keys = random.exponential(size=taken.shape) / weight[:, clusters[places]]
                first = np.argsort(np.where(taken, np.inf, keys), axis=1)[:, : len(some)]
                shuffled = some[np.argsort(random.random_sample((BLOCK, len(some))), axis=1)]
                chosen = np.arange(len(some)) < random.binomial(len(some), share, BLOCK)[:, None]
                np.put_along_axis(inside, first, np.where(chosen, shuffled, np.take_along_axis(inside, first, 1)), 1)
                np.put_along_axis(taken, first, chosen | np.take_along_axis(taken, first, 1), axis=1)
            permuted[:, places] = inside
        yield permuted


def _likely(own: float, other: float) -> float:
    """Return the share of the changes in one direction that is likely by chance, given those in the other."""
    return min(1.0, (other + math.sqrt(other) + 1) / own) if own else 1.0
