"""Is an early estimate better if what flipped in the baseline is asked first? `python -m benchmarks.gate.flipped`.

Trials are drawn as benchmarks/gate/runs.py draws them. A trial has flipped where the runs of the baseline disagree. Of
some trials that are asked, more flipped than by chance, and the change is the mean of both groups, weighted by their
sizes, so that it is unbiased. What the weights are worth is how many more random trials have the same variance.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.gate.runs import Bools, rates
from benchmarks.gate.table import command, table

RESULTS = Path(__file__).with_name("FLIPPED.md")
TRIALS = 360
ASKED = 144
"""Of the trials of a band, those of the first two of five looks."""
LEAST = 40
"""Trials that are asked of those that did not flip."""
TIMES = (1, 1.5, 2)
"""How much more often a trial is asked that flipped."""
NOISES = ((0.9, 0.05), (0.9, 0.1), (0.7, 0.2), (0.5, 0.3))
DROP = 0.05


def variances(rate: float, discordance: float, runs: int, entire: bool | None, gates: int) -> list[float]:
    """Return the variance of the estimate by chance, then with each of TIMES, then with all that flipped first.

    entire: whether what falls is all of some trials; None where nothing has changed.
    """
    random = np.random.default_rng(1)
    chances = rates(gates, 1, TRIALS, rate, discordance, random)[:, 0]
    right = sum((random.random(chances.shape) < chances).astype(int) for _ in range(runs))
    before = np.asarray(right) / runs
    after = chances.copy()
    if entire is not None:
        after *= 1 - (random.random(chances.shape) < DROP / rate if entire else DROP / rate)
    changes = (random.random(chances.shape) < after) - before
    true = (after - chances).mean(axis=1)
    flipped = (before > 0) & (before < 1)
    number = flipped.sum(axis=1)
    shares = [np.minimum(number, np.round(times * ASKED / TRIALS * number)) for times in TIMES]
    ways = (np.minimum(share, ASKED - LEAST).astype(int) for share in (*shares, number))
    found = [changes[:, :ASKED].mean(axis=1), *(weighted(changes, flipped, of_flipped) for of_flipped in ways)]
    return [float(((estimate - true) ** 2).mean()) for estimate in found]


def weighted(changes: np.ndarray, flipped: Bools, of_flipped: np.ndarray) -> np.ndarray:
    """Return the mean change, with so many trials asked of those that flipped, and the others of those that did not."""
    means = np.zeros(len(changes))
    for group, asked in ((flipped, of_flipped), (~flipped, ASKED - of_flipped)):
        taken = group & (group.cumsum(axis=1) <= asked[:, None])
        mean = (changes * taken).sum(axis=1) / np.maximum(taken.sum(axis=1), 1)
        means += group.mean(axis=1) * mean
    return means


def worth(gates: int) -> str:
    rows = []
    for rate, discordance in NOISES:
        for runs in (2, 3, 6):
            for what, entire in (("nothing", None), ("a share of each", False), ("all of some trials", True)):
                by_chance, *others = variances(rate, discordance, runs, entire, gates)
                cells = (f"{100 * (by_chance / variance - 1):+.0f}%" for variance in others)
                rows.append([f"{rate:g}", f"{discordance:.0%}", runs, what, *cells])
    heads = ("in proportion", *(f"{times:g} times as often" for times in TIMES[1:]), "all that flipped first")
    return table(["rate", "pairs that change", "runs of the baseline", "5 points fall in", *heads], rows)


def run(gates: int) -> Iterator[str]:
    yield (
        "# Asking first what flipped before\n\nWritten by `python -m benchmarks.gate.flipped`; "
        f"{gates:,} gates a line. A band of {TRIALS} trials, of which {ASKED} are asked: how many more random trials "
        "would give an estimate of the same variance. A difference of 3% is chance."
    )
    yield worth(gates)


if __name__ == "__main__":
    command("flipped", __doc__, run, RESULTS, gates=10_000)
