"""Where the level of a series of counts shifted: binary segmentation (A. Scott and M. Knott, Biometrics 30, 1974) with
a permutation test at each split.

The statistic is the largest binomial log-likelihood ratio over all places where the series can be cut in two. Its
p-value is exact but for the number of draws: where all trials have one chance of being right, any allocation of the
right ones to the moments is as likely as any other, so they are dealt out again (hypergeometric), and the statistic
compared. A cut that is found splits the series, and both parts are searched in the same way.

A series without a shift gives a false alarm with a probability of at most alpha, whatever its length, its rate and its
numbers of trials: all further cuts need a first one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from longctx.vocabulary.stream import frozen_stream

DRAWS = 999
"""The least number; a small alpha takes more."""

Count = tuple[int, int]
"""Right ones and trials."""


@dataclass(frozen=True, slots=True)
class Shift:
    """at: the first moment of the new level, counted from 0. before, after: what was counted on its two sides, up to
    the next shift. p_value: of the cut in the part of the series that it was found in."""

    at: int
    before: Count
    after: Count
    p_value: float


def shifts(counts: Sequence[Count], alpha: float) -> list[Shift]:
    """The shifts of a series, in its order. counts: of each moment; each has trials."""
    cuts = dict(sorted(_cuts(np.array(counts, dtype=np.int64).reshape(-1, 2), 0, alpha)))
    ends = [0, *cuts, len(counts)]
    levels = [_sum(counts[first:last]) for first, last in pairwise(ends)]
    return [
        Shift(at, before, after, p_value)
        for (at, p_value), before, after in zip(cuts.items(), levels, levels[1:], strict=False)
    ]


def _cuts(counts: NDArray[np.int64], first: int, alpha: float) -> list[tuple[int, float]]:
    if len(counts) < 2:
        return []
    right, trials = counts[:, 0], counts[:, 1]
    ratios = _ratios(right[np.newaxis], trials)[0]
    at = int(ratios.argmax()) + 1
    draws = max(DRAWS, int(4 / alpha))
    largest = _ratios(_dealt(int(right.sum()), trials, draws), trials).max(axis=1)
    p_value = (1 + int((largest >= ratios.max() - 1e-9).sum())) / (1 + draws)
    if p_value > alpha:
        return []
    return [(first + at, p_value), *_cuts(counts[:at], first, alpha), *_cuts(counts[at:], first + at, alpha)]


def _dealt(right: int, trials: NDArray[np.int64], draws: int) -> NDArray[np.int64]:
    """The right ones dealt to the moments at random, a row a draw."""
    stream = frozen_stream("shifts", right, *trials)
    left = np.full(draws, right)
    rest = int(trials.sum())
    dealt = np.empty((draws, len(trials)), dtype=np.int64)
    for place, size in enumerate(trials):
        dealt[:, place] = stream.hypergeometric(left, rest - left, size)
        left = left - dealt[:, place]
        rest -= int(size)
    return dealt


def _ratios(right: NDArray[np.int64], trials: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each series, and each place to cut it, the log-likelihood of two levels over that of one."""
    before, n_before = right.cumsum(axis=1), trials.cumsum()
    whole, n_whole = before[:, -1:], n_before[-1]
    before, n_before = before[:, :-1], n_before[:-1]
    two = _likelihood(before, n_before) + _likelihood(whole - before, n_whole - n_before)
    return two - _likelihood(whole, n_whole)


def _likelihood(right: NDArray[np.int64], n: NDArray[np.int64] | np.int64) -> NDArray[np.float64]:
    """The largest log-likelihood of so many right ones of n."""
    wrong = n - right
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (np.where(one > 0, one * np.log(one / n), 0.0) for one in (right, wrong))
        found: NDArray[np.float64] = np.add(*terms)
    return found


def _sum(counts: Sequence[Count]) -> Count:
    return sum(right for right, _ in counts), sum(trials for _, trials in counts)
