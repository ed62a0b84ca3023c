"""Which of several sums of changes are larger than chance explains, if nothing changed.

A pair that changed was lost or gained. If nothing changed, either is as likely, whatever its place or kind, and however
much the answers vary there. So the signs of the changes are flipped, all of a cluster together (E. J. G. Pitman,
Supplement to the JRSS 4, 1937), and a sum is compared with those of the flipped changes. Holm's correction is over all
sums. Lost pairs are never compared with kept ones: of answers that vary more in one place, more are lost there though
nothing changed. benchmarks/gate/PLACES.md has how often a sum is named in unchanged runs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longctx.stats.rates import holm

FLIPS = 9_999
"""They are frozen: the same changes name the same sums."""
BLOCK = 1_000
"""The flips that are made at once."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SumOfChanges:
    """One sum of weighted changes."""

    p_value: float
    """The probability of so large a sum, or a larger one, if nothing changed."""
    size: float
    """The sum in units of its standard deviation under flipped signs."""
    shown: bool
    """Whether it is significant, with Holm's correction over all sums."""


def sums_of_changes(changes: NDArray[np.float64], clusters: Sequence[Hashable], alpha: float) -> list[SumOfChanges]:
    """Test each sum against zero, one-sided.

    changes: a row per pair and a column per sum; the weight of a pair, positive if it was lost. clusters: of each pair.
    """
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    by_cluster = np.zeros((len(numbers), changes.shape[1]))
    np.add.at(by_cluster, [numbers[name] for name in clusters], changes)
    sums, spread = by_cluster.sum(axis=0), np.sqrt((by_cluster**2).sum(axis=0))
    rng = np.random.RandomState(0)
    as_large = np.zeros(changes.shape[1])
    for start in range(0, FLIPS, BLOCK):
        signs = 2.0 * rng.randint(0, 2, (min(BLOCK, FLIPS - start), len(numbers))) - 1
        as_large += (signs @ by_cluster >= sums - ROUNDING * spread).sum(axis=0)
    p_values = ((1 + as_large) / (1 + FLIPS)).tolist()
    sizes = (sums / np.where(spread > 0, spread, 1)).tolist()
    return [SumOfChanges(*found) for found in zip(p_values, sizes, holm(p_values, alpha), strict=True)]
