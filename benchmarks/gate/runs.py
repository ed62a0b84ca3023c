"""Gates against a baseline of several runs, with the run as a hypothesis of its own: `python -m benchmarks.gate.runs`.

Trials are drawn as benchmarks/gate/looks.py draws them: each has a probability of its own of being answered, from a
beta distribution, and every run answers it independently. What falls takes its share of every trial's probability, or
all of some trials. The bound, the exact test and the boundaries are written a second time here, in numpy, and compared
with the gate's own by a test.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

RESULTS = Path(__file__).with_name("RUNS.md")
ALPHA = 0.05
WORTH = 0.1
"""One-sided p-values above this are never small enough, and are not computed."""
Array = NDArray[np.float64]


def scores(counts: Array, delta: float) -> Array:
    """Return the score of each gate's mean change at a drop of `delta`. counts: of each change from -1 to 1."""
    changes = np.linspace(-1, 1, counts.shape[1])
    n = counts.sum(axis=1)
    mean = counts @ changes / n
    off, low, high = changes + delta, np.zeros(len(counts)), np.full(len(counts), 1 / (1 - delta))
    for _ in range(45):
        tilt = (low + high) / 2
        over = np.maximum(1 + tilt[:, None] * off, 1e-300)
        positive = (counts * off / over).sum(axis=1) > 0
        low, high = np.where(positive, tilt, low), np.where(positive, high, tilt)
    chances = counts / n[:, None] / np.maximum(1 + high[:, None] * off, 1e-300)
    chances[:, 0] += np.maximum(0, 1 - chances.sum(axis=1))
    variance = chances @ changes**2 - delta**2
    return np.where(mean > -delta, (mean + delta) / np.sqrt(np.maximum(variance, 1e-12) / n), -1.0)


def exact(right: NDArray[np.int64], observed: int, mid: bool = False) -> float:
    """Return the p-value of a drop. right: how many trials have 1, 2, … of all runs' answers right, but not all.

    Of a trial with s right of m + 1 answers, the later run has one with a probability of s / (m + 1).
    """
    chance = np.ones(1)
    for place, trials in enumerate(right.tolist(), start=1):
        chance = np.convolve(chance, _binomial(trials, place / (len(right) + 1)))
    return float(chance[: observed + 1].sum() - mid * chance[observed] / 2)


@cache
def _binomial(n: int, p: float) -> Array:
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    hits = np.arange(n + 1)
    found: Array = np.exp(logs[n] - logs - logs[::-1] + hits * np.log(p) + (n - hits) * np.log1p(-p))
    return found


def p_values(right: NDArray[np.int64], after: NDArray[np.int64], mid: bool = False) -> Array:
    """Return the p-value of each gate. right: see `exact`, one line a gate. after: right ones later."""
    places = np.arange(1, right.shape[1] + 1) / (right.shape[1] + 1)
    expected, variance = right @ places, right @ (places * (1 - places))
    z = (after + 0.5 - expected) / np.sqrt(np.maximum(variance, 1e-12))
    found = np.ones(len(right))
    worth = np.flatnonzero((z < -NormalDist().inv_cdf(1 - WORTH)) & (variance > 0))
    for gate in worth:
        found[gate] = exact(right[gate], int(after[gate]), mid)
    return found
