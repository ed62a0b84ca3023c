"""Level shifts in a series of runs on the same trials, by binary segmentation (A. Scott and M. Knott, Biometrics 30,
1974) with a permutation test at each split.

A cut divides the series in two. Each cluster of trials has a change at a cut: its mean after it minus its mean before.
The statistic is the largest absolute sum of changes over all cuts, each in units of the root of its sum of squares. If
no level shifted, the outcomes of a cluster are as likely in any order, so that those of each cluster are put into
random orders; the p-value is the share of orders with a statistic as large. Trials that never change say nothing, and a
single run after a shift may suffice: with two runs this is a sign-flip test. A significant series is split where the
sum of changes is largest in units of its standard deviation in a series of equal noise (CUSUM), and both parts are
searched in the same way.

A series without a shift gives a false alarm with a probability of at most alpha, whatever its length and rate, because
every further cut needs a first one. Where a change overturns trials for good, as many up as down, it gives fewer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longctx.vocabulary.stream import frozen_stream

DRAWS = 1999
"""The least number of random orders; a small alpha takes more."""
BLOCK = 1_000_000
"""About how many outcomes are held in memory at once."""

Series = NDArray[np.float64]
"""The sum of correct trials of each cluster (row) in each run (column)."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A change of level at index `at`, the first run of the new level.

    p_value: of the cut within the part of the series that it splits.
    """

    at: int
    p_value: float


def shifts(series: ArrayLike, alpha: float) -> list[Shift]:
    """Return the shifts of a series in its order. series: correct trials of each cluster (row) in each run (column)."""
    found = _shifts(np.atleast_2d(np.asarray(series, dtype=np.float64)), 0, alpha)
    return sorted(found, key=lambda shift: shift.at)


def _shifts(series: Series, first: int, alpha: float) -> list[Shift]:
    """Return the shifts of a part of the series, which begins at index `first`."""
    changed = series[np.ptp(series, axis=1) > 0] if series.shape[1] > 1 else series[:0]
    if not len(changed):
        return []
    observed = _statistics(changed[np.newaxis])[0].max()
    p_value = _p_value(changed, observed, max(DRAWS, int(4 / alpha)))
    if p_value > alpha:
        return []
    before = np.arange(1, series.shape[1])
    at = 1 + int((np.abs(_changes(changed).sum(axis=0)) * np.sqrt(before * before[::-1])).argmax())
    parts = (*_shifts(series[:, :at], first, alpha), *_shifts(series[:, at:], first + at, alpha))
    return [Shift(first + at, p_value), *parts]


def _p_value(series: Series, observed: float, draws: int) -> float:
    """Return the share of random orders of each cluster's outcomes whose statistic is as large as the observed one."""
    stream = frozen_stream("shifts", series.shape, round(float(observed), 6))
    each, as_large, left = max(1, BLOCK // series.size), 0, draws
    while left:
        size = min(each, left)
        orders = stream.random_sample((size, *series.shape)).argsort(axis=-1)
        permuted = np.take_along_axis(np.broadcast_to(series, orders.shape), orders, axis=-1)
        as_large += int((_statistics(permuted).max(axis=1) >= observed - 1e-9).sum())
        left -= size
    return (1 + as_large) / (1 + draws)


def _statistics(series: Series) -> Series:
    """Return the statistic of each cut, shape (draws, cuts). series: shape (draws, clusters, runs)."""
    changes = _changes(series)
    spread = np.sqrt((changes**2).sum(axis=1))
    statistics: Series = np.abs(changes.sum(axis=1)) / np.where(spread > 0, spread, 1.0)
    return statistics


def _changes(series: Series) -> Series:
    """Return the change at each cut, which replaces the axis of the runs, the last one."""
    before, sums = np.arange(1, series.shape[-1]), series.cumsum(axis=-1)
    changes: Series = (sums[..., -1:] - sums[..., :-1]) / before[::-1] - sums[..., :-1] / before
    return changes
