"""Level shifts in a series of counts, by binary segmentation (A. Scott and M. Knott, Biometrics 30, 1974) with a
permutation test at each split.

The statistic is the largest binomial log-likelihood ratio over all places where the series can be cut in two. If all
trials have the same probability of being correct, every allocation of the correct ones to the points of the series is
equally likely; so they are allocated anew at random (hypergeometric), and the p-value is the share of allocations with
a statistic as large. A significant cut splits the series, and both parts are searched in the same way.

A series without a shift gives a false alarm with a probability of at most alpha, whatever its length, rate and numbers
of trials, because every further cut needs a first one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longctx.vocabulary.stream import frozen_stream

DRAWS = 999
"""The least number of random allocations; a small alpha takes more."""

PointCount = tuple[int, int]
"""The correct trials and all trials of one point in time."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A change of level at index `at`, the first point of the new level.

    p_value: of the cut within the part of the series that it splits.
    """

    at: int
    p_value: float


def shifts(counts: Sequence[PointCount], alpha: float) -> list[Shift]:
    """Return the shifts of a series in its order. Every point must have trials."""
    found = _shifts(np.array(counts, dtype=np.int64).reshape(-1, 2), 0, alpha)
    return sorted(found, key=lambda shift: shift.at)


def _shifts(counts: NDArray[np.int64], first: int, alpha: float) -> list[Shift]:
    """Return the shifts of a part of the series, which begins at index `first`."""
    if len(counts) < 2:
        return []
    right, trials = counts[:, 0], counts[:, 1]
    ratios = _ratios(right[np.newaxis], trials)[0]
    at = int(ratios.argmax()) + 1
    draws = max(DRAWS, int(4 / alpha))
    largest = _ratios(_permuted(int(right.sum()), trials, draws), trials).max(axis=1)
    p_value = (1 + int((largest >= ratios.max() - 1e-9).sum())) / (1 + draws)
    if p_value > alpha:
        return []
    parts = (*_shifts(counts[:at], first, alpha), *_shifts(counts[at:], first + at, alpha))
    return [Shift(first + at, p_value), *parts]


def _permuted(right: int, trials: NDArray[np.int64], draws: int) -> NDArray[np.int64]:
    """Return random allocations of the correct trials to the points; shape (draws, points)."""
    stream = frozen_stream("shifts", right, *trials)
    left = np.full(draws, right)
    rest = int(trials.sum())
    permuted = np.empty((draws, len(trials)), dtype=np.int64)
    for place, size in enumerate(trials):
        permuted[:, place] = stream.hypergeometric(left, rest - left, size)
        left = left - permuted[:, place]
        rest -= int(size)
    return permuted


def _ratios(right: NDArray[np.int64], trials: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log-likelihood ratio of two levels against one, for each series (row) and each cut (column)."""
    before, n_before = right.cumsum(axis=1), trials.cumsum()
    total, n_total = before[:, -1:], n_before[-1]
    before, n_before = before[:, :-1], n_before[:-1]
    two = _likelihood(before, n_before) + _likelihood(total - before, n_total - n_before)
    return two - _likelihood(total, n_total)


def _likelihood(right: NDArray[np.int64], n: NDArray[np.int64] | np.int64) -> NDArray[np.float64]:
    """Return the maximum log-likelihood of `right` correct trials of n."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (np.where(count > 0, count * np.log(count / n), 0.0) for count in (right, n - right))
        likelihood: NDArray[np.float64] = np.add(*terms)
    return likelihood
