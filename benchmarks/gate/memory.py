"""Runs of one change that are judged together, and one baseline's life: `python -m benchmarks.gate.memory`.

The gate is the profile `gate-pr` as one question of all its 234 trials: is a drop of 7.5 points ruled out? Trials are
drawn as in runs.py. A drop takes its share of every trial's probability, or all of some trials. The less kind of the
two, and of all rates and shares of pairs that change, is quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.runs import Array, Bools, rates, scores
from benchmarks.gate.table import command, share, table
from longctx.gate.memory import LATER
from longctx.gate.rules import ALPHA
from longctx.stats.group_sequential import planned

RESULTS = Path(__file__).with_name("MEMORY.md")
TRIALS, MARGIN, RUNS = 234, 0.075, 10
LOOKS = planned("few", TRIALS, TRIALS, MARGIN, ALPHA)
NOISES = ((0.9, 0.02), (0.9, 0.05), (0.9, 0.1), (0.7, 0.1), (0.7, 0.2), (0.5, 0.2))
"""Rates, and the shares of pairs of runs that change by chance."""
LIVES = ((0.9, 0.02), (0.7, 0.02), (0.9, 0.05), (0.7, 0.05), (0.9, 0.1), (0.7, 0.1), (0.7, 0.2), (0.5, 0.2))
STEPS = 2520
"""Changes are counted in parts of which so many are 1: those of means of up to ten answers are whole numbers."""
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Kind:
    """What is drawn: an accuracy, how often pairs change, and how a drop of `drop` falls."""

    rate: float
    changing: float
    drop: float = 0.0
    entire: bool = False
    """Whether all of some trials is lost, and not a share of each."""


def chances(kind: Kind, gates: int, trials: int, random: np.random.Generator) -> tuple[Array, Array]:
    """Return the probabilities of a right answer before and after."""
    before = rates(gates, 1, trials, kind.rate, kind.changing, random)[:, 0]
    lost: Array | float = kind.drop / kind.rate
    if kind.entire:
        lost = (random.random(before.shape) < lost).astype(float)
    return before, before * (1 - lost)


def answers(of: Array, random: np.random.Generator) -> Ints:
    return (random.random(of.shape) < of).astype(np.int64)


def rules_out(change: Array | Ints, alpha: float) -> Bools:
    """Return in which gates a drop of the margin is ruled out. change: of each trial's mean, from -1 to 1."""
    places = np.rint(change * STEPS).astype(np.int64) + STEPS
    step = int(np.gcd.reduce(np.append(np.unique(places), [0, STEPS])))
    columns = 2 * STEPS // step + 1
    cells = places // step + np.arange(len(places))[:, None] * columns
    counts = np.bincount(cells.ravel(), minlength=len(places) * columns).reshape(len(places), columns)
    found: Bools = scores(counts.astype(float), MARGIN) > -NormalDist().inv_cdf(alpha)
    return found


def first(before: Array | Ints, after: Ints) -> Bools:
    """Return which first runs pass, with looks at alpha.

    That a band may be settled by a regression at an earlier look is left out: it can only make fewer pass.
    """
    ends = enumerate(LOOKS.ends(before.shape[1]), start=1)
    looks = [rules_out(after[:, :end] - before[:, :end], LOOKS.level(ALPHA, look)) for look, end in ends]
    passed: Bools = np.logical_or.reduce(looks)
    return passed


def fresh(kind: Kind, gates: int, runs: int, random: np.random.Generator) -> Bools:
    """Return in which gates one of the first runs passed that are each judged alone. Shape (runs, gates)."""
    was, now = chances(kind, gates, TRIALS, random)
    before = answers(was, random)
    return np.logical_or.accumulate([first(before, answers(now, random)) for _ in range(runs)])


def reruns(kind: Kind, gates: int, runs: int, random: np.random.Generator) -> Bools:
    """Return the same of runs that are judged together: the first at alpha, later ones at alpha / LATER."""
    was, now = chances(kind, gates, TRIALS, random)
    before, total = answers(was, random), answers(now, random)
    passed = [first(before, total)]
    for run in range(2, runs + 1):
        total = total + answers(now, random)
        passed.append(rules_out(total / run - before, ALPHA / LATER))
    return np.logical_or.accumulate(passed)


def extensions(kind: Kind, gates: int, runs: int, random: np.random.Generator, later: float = LATER) -> Bools:
    """Return the same of runs that each add as many trials."""
    was, now = chances(kind, gates, TRIALS * runs, random)
    before, after = answers(was, random), answers(now, random)
    passed = [first(before[:, :TRIALS], after[:, :TRIALS])]
    for run in range(2, runs + 1):
        end = run * TRIALS
        passed.append(rules_out((after - before)[:, :end], ALPHA / later))
    return np.logical_or.accumulate(passed)


def mixtures(kind: Kind, gates: int, runs: int, random: np.random.Generator) -> Bools:
    """Return the same of runs that in turn ask all trials again and add as many."""
    was, now = chances(kind, gates, TRIALS * runs, random)
    before, total = answers(was, random), np.zeros((gates, TRIALS * runs), np.int64)
    asked, end = np.zeros(TRIALS * runs, np.int64), TRIALS
    total[:, :end] += answers(now[:, :end], random)
    asked[:end] += 1
    passed = [first(before[:, :end], total[:, :end])]
    for run in range(2, runs + 1):
        part = slice(0, end) if run % 2 == 0 else slice(end, end + TRIALS)
        end = max(end, part.stop)
        total[:, part] += answers(now[:, part], random)
        asked[part] += 1
        passed.append(rules_out(total[:, :end] / asked[:end] - before[:, :end], ALPHA / LATER))
    return np.logical_or.accumulate(passed)


WAYS: dict[str, tuple[Callable[[Kind, int, int, np.random.Generator], Bools], int]] = {
    "reruns, each judged alone": (fresh, RUNS),
    "five cosmetic versions of a prompt": (fresh, 5),
    "reruns": (reruns, RUNS),
    "extensions": (extensions, 5),
    "extensions at alpha each": (partial(extensions, later=1), 5),
    "reruns and extensions in turn": (mixtures, 5),
}
AFTER = (1, 3, 5, 10)


def passes(gates: int, drop: float) -> str:
    """How often a run of a change passes, by the number of runs: the most over all rates if something fell."""
    worst = max if drop else min
    rows = []
    for name, (way, most) in WAYS.items():
        counted: list[list[int]] = []
        for rate, changing in NOISES:
            for entire in (False, True) if drop else (False,):
                passed = way(Kind(rate, changing, drop, entire), gates, most, np.random.default_rng(1))
                counted.append([int(passed[run - 1].sum()) for run in AFTER if run <= most])
                if not drop and name == "reruns":
                    cells = [share(number, gates) for number in counted[-1]]
                    rows.append([f"{name}, {changing:.0%} of pairs change, rate {rate}", *cells])
        if drop or name != "reruns":
            cells = [share(worst(column), gates) for column in zip(*counted, strict=True)]
            rows.append([name, *cells, *["-"] * (len(AFTER) - len(cells))])
    return table(["runs of a change", *(f"{run} run{'s' * (run > 1)}" for run in AFTER)], rows)


def pull_requests(gates: int, number: int = 50) -> str:
    """How many baselines fail at least one of so many unchanged pull requests."""
    rows = []
    for rate, changing in (
        (0.9, 0.02),
        (0.7, 0.02),
        (0.9, 0.05),
        (0.7, 0.05),
        (0.9, 0.1),
        (0.7, 0.1),
        (0.7, 0.2),
        (0.5, 0.2),
    ):
        cells = []
        for runs in (1, 3):
            random = np.random.default_rng(2)
            was, _ = chances(Kind(rate, changing), gates, TRIALS, random)
            before = np.mean([answers(was, random) for _ in range(runs)], axis=0)
            failed = np.zeros(gates, bool)
            for _ in range(number):
                now = answers(was, random)
                failed |= ~first(before, now)
            cells.append(share(int(failed.sum()), gates))
        rows.append([f"{changing:.0%}", rate, *cells])
    return table(["pairs that change", "rate", "a baseline of one run", "of three runs"], rows)


def run(gates: int) -> Iterator[str]:
    yield (
        "# Runs of one change, and one baseline's life\n\nWritten by `python -m benchmarks.gate.memory`, "
        f"{gates:,} gates a line; brackets are Wilson's 95%. The less kind of all rates and two generators is given."
    )
    yield "## A drop of the margin passes\n\n" + passes(gates, MARGIN)
    yield "## An unchanged model passes\n\n" + passes(gates, 0.0)
    yield "## At least one of 50 unchanged pull requests does not pass\n\n" + pull_requests(gates)


if __name__ == "__main__":
    command("memory", __doc__, run, RESULTS, gates=2000)
