"""Runs of one change that are judged together, and one baseline's life: `python -m benchmarks.gate.memory`.

The gate is the profile `gate-pr` as one question of all its 234 trials: is a drop of 7.5 points ruled out? Trials are
drawn as in runs.py, or some of them are coins and all others are always right or always wrong. A drop takes its share
of every trial's probability, or all of some trials. The less kind of the two, and of all rates and shares of pairs that
change, is quoted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.runs import Array, Bools, p_values, rates, scores
from benchmarks.gate.table import command, share, table
from longctx.gate.bands import Band, BandLooks, LookEvidence, judge_in_looks
from longctx.gate.memory import LATER
from longctx.gate.rules import ALPHA
from longctx.stats.averaged import Averaged
from longctx.stats.group_sequential import ONCE, planned

RESULTS = Path(__file__).with_name("MEMORY.md")
TRIALS, MARGIN, RUNS = 234, 0.075, 10
LOOKS = planned("few", TRIALS, TRIALS, MARGIN, ALPHA)
NOISES = ((0.9, 0.02), (0.9, 0.05), (0.9, 0.1), (0.7, 0.1), (0.7, 0.2), (0.5, 0.2))
"""Rates, and the shares of pairs of runs that change by chance."""
LIVES = ((0.9, 0.02), (0.7, 0.02), (0.9, 0.05), (0.7, 0.05), (0.9, 0.1), (0.7, 0.1), (0.7, 0.2), (0.5, 0.2))
ADVISED = ((0.9, 0.1), (0.7, 0.1), (0.7, 0.2), (0.5, 0.2))
"""Those with which enough first runs are inconclusive."""
MOST_BATCHES = 20
"""Of gates that are drawn until enough of them are inconclusive."""
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
    coins: bool = False
    """Whether some trials are coins, and all others always right or always wrong."""

    @property
    def how(self) -> str:
        return "-" if not self.drop else "all of some trials" if self.entire else "a share of each"

    @property
    def trials(self) -> str:
        return "coins" if self.coins else "spread"


def chances(kind: Kind, gates: int, trials: int, random: np.random.Generator) -> tuple[Array, Array]:
    """Return the probabilities of a right answer before and after."""
    if kind.coins:
        drawn, tossed = random.random((2, gates, trials))
        always = drawn < (kind.rate - kind.changing) / (1 - 2 * kind.changing)
        before: Array = np.where(tossed < 2 * kind.changing, 0.5, always)
    else:
        before = rates(gates, 1, trials, kind.rate, kind.changing, random)[:, 0]
    lost: Array | float = kind.drop / kind.rate
    if kind.entire:
        lost = (random.random(before.shape) < lost).astype(float)
    return before, before * (1 - lost)


def answers(of: Array, random: np.random.Generator) -> Ints:
    return (random.random(of.shape) < of).astype(np.int64)


def baseline_of(was: Array, runs: int, random: np.random.Generator) -> Array:
    """Return the mean of the baseline's answers to each trial."""
    mean: Array = np.mean([answers(was, random) for _ in range(runs)], axis=0)
    return mean


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


def reruns(kind: Kind, gates: int, runs: int, random: np.random.Generator, baseline: int = 1) -> Bools:
    """Return the same of runs that are judged together: the first at alpha, later ones at alpha / LATER.

    baseline: how many runs it has.
    """
    was, now = chances(kind, gates, TRIALS, random)
    before, total = baseline_of(was, baseline, random), answers(now, random)
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


Way = Callable[[Kind, int, int, np.random.Generator], Bools]
WAYS: dict[str, tuple[Way, int]] = {
    "each run judged alone": (fresh, RUNS),
    "five cosmetic versions of a prompt": (fresh, 5),
    "reruns": (reruns, RUNS),
    "extensions": (extensions, 5),
    "extensions at alpha each": (partial(extensions, later=1), 5),
    "extensions and reruns in turn": (mixtures, 5),
}
OF_THREE = "reruns, a baseline of three runs"
AFTER = (1, 3, 5, 10)


def passes(gates: int, drop: float) -> str:
    """How often a run of a change passes, by the number of runs: the most over all rates if something fell."""
    worst = max if drop else min
    rows = []
    of_three: dict[str, tuple[Way, int]] = {} if drop else {OF_THREE: (partial(reruns, baseline=3), 5)}
    for name, (way, most) in {**WAYS, **of_three}.items():
        counted: list[list[int]] = []
        for rate, changing in NOISES:
            for entire in (False, True) if drop else (False,):
                passed = way(Kind(rate, changing, drop, entire), gates, most, np.random.default_rng(1))
                counted.append([int(passed[run - 1].sum()) for run in AFTER if run <= most])
                if not drop and name.startswith("reruns"):
                    rows.append([f"{name}, {changing:.0%} of pairs change, rate {rate}", *_shares(counted[-1], gates)])
        if drop or not name.startswith("reruns"):
            rows.append([name, *_shares([worst(column) for column in zip(*counted, strict=True)], gates)])
    return table(["runs of a change", *(f"{run} run{'s' * (run > 1)}" for run in AFTER)], rows)


def _shares(counts: Sequence[int], gates: int) -> list[str]:
    return [*(share(number, gates) for number in counts), *["-"] * (len(AFTER) - len(counts))]


@dataclass(slots=True)
class Followed:
    """Counts of gates whose first run was inconclusive, and whose second has as many trials as the first advised."""

    gates: int = 0
    """All of them, with those that the first run decided."""
    passed: int = 0
    """Of these, those that passed in the first run or in the second."""
    advised: int = 0
    passes: int = 0
    regressions: int = 0


@cache
def needed(gained: int, lost: int) -> int:
    """Return the trials that the gate's own advice names."""
    changes = [1] * gained + [-1] * lost + [0] * (TRIALS - gained - lost)
    seen = Averaged.of_changes([[change] for change in changes])
    looks = {Band("lines", "all"): BandLooks(ONCE, [LookEvidence(seen, seen)])}
    [(given, _)] = judge_in_looks(looks, MARGIN, 1e-9, next_alpha=ALPHA / LATER)
    return given.needed or 0


def drops(before: Ints, after: Ints) -> Array:
    """Return the p-value of each gate."""
    lost, gained = ((one > other).sum(axis=1) for one, other in ((before, after), (after, before)))
    return p_values((lost + gained)[:, None], gained, mid=True)


def undecided(before: Ints, after: Ints) -> tuple[Bools, Bools]:
    """Return which first runs pass, and which are inconclusive, in looks."""
    passed, regressed, p = np.zeros(len(before), bool), np.zeros(len(before), bool), np.ones(len(before))
    for look, end in enumerate(LOOKS.ends(before.shape[1]), start=1):
        was, now = before[:, :end], after[:, :end]
        going = ~(passed | regressed)
        passed |= going & rules_out(now - was, LOOKS.level(ALPHA, look))
        p = np.minimum(p, [LOOKS.repeated_p_value(each, look) for each in drops(was, now)])
        large = (was - now).mean(axis=1) >= MARGIN
        regressed |= going & ~passed & (p <= ALPHA) & (large | (look == LOOKS.number))
    return passed, ~passed & ~regressed


def follow(kind: Kind, gates: int, random: np.random.Generator) -> Followed:
    """Return what a second run decides that has as many trials as the first advised. gates: the inconclusive ones."""
    found = Followed()
    for _ in range(MOST_BATCHES):
        if found.advised >= gates:
            break
        was, now = chances(kind, gates, TRIALS, random)
        before, after = answers(was, random), answers(now, random)
        passed, open_ = undecided(before, after)
        found.gates += gates
        found.passed += int(passed.sum())
        for gate in np.flatnonzero(open_):
            change = after[gate] - before[gate]
            more = needed(int((change > 0).sum()), int((change < 0).sum())) - TRIALS
            of = chances(kind, 1, more, random)
            was_all, now_all = (
                np.append(seen[gate], answers(each, random)[0])[None]
                for seen, each in zip((before, after), of, strict=True)
            )
            passes = bool(rules_out(now_all - was_all, ALPHA / LATER)[0])
            found.advised += 1
            found.passes += passes
            found.passed += passes
            found.regressions += not passes and bool(drops(was_all, now_all)[0] <= ALPHA / LATER)
    return found


def advice(gates: int) -> str:
    """What a second run decides that has as many trials as the first, which was inconclusive, advised."""
    rows = []
    for part, named in ((0.0, "nothing"), (0.5, "half of the margin"), (1.0, "the margin")):
        for (rate, changing), tossed in itertools.product(ADVISED, (False, True)):
            for entire in (False, True) if part else (False,):
                kind = Kind(rate, changing, part * MARGIN, entire, tossed)
                of = follow(kind, gates // 4, np.random.default_rng(3))
                decided = share(of.passes + of.regressions, of.advised)
                cells = decided, share(of.passes, of.advised), share(of.passed, of.gates)
                rows.append([named, kind.how, kind.trials, rate, f"{changing:.0%}", of.advised, *cells])
    heads = ["lost", "how", "trials", "rate", "pairs that change", "inconclusive first runs", "decided", "passes"]
    return table([*heads, "passes in one of the two, of all"], rows)


def pull_requests(gates: int, number: int = 50) -> str:
    """How many baselines fail at least one of so many unchanged pull requests."""
    rows = []
    for rate, changing in LIVES:
        for kind in (Kind(rate, changing), Kind(rate, changing, coins=True)):
            cells = []
            for runs in (1, 3):
                random = np.random.default_rng(2)
                was, _ = chances(kind, gates, TRIALS, random)
                before = baseline_of(was, runs, random)
                failed = np.zeros(gates, bool)
                for _ in range(number):
                    failed |= ~first(before, answers(was, random))
                cells.append(share(int(failed.sum()), gates))
            rows.append([kind.trials, f"{changing:.0%}", rate, *cells])
    return table(["trials", "pairs that change", "rate", "a baseline of one run", "of three runs"], rows)


def run(gates: int) -> Iterator[str]:
    yield (
        "# Runs of one change, and one baseline's life\n\nWritten by `python -m benchmarks.gate.memory`, "
        f"{gates:,} gates a line; brackets are Wilson's 95%. The less kind of all rates and two generators is given."
    )
    yield "## A drop of the margin passes\n\n" + passes(gates, MARGIN)
    yield "## An unchanged model passes\n\n" + passes(gates, 0.0)
    yield (
        "## A second run of as many trials as the first advised\n\nThe first was inconclusive; the trials of both are "
        "judged together.\n\n" + advice(gates)
    )
    yield "## At least one of 50 unchanged pull requests does not pass\n\n" + pull_requests(gates)


if __name__ == "__main__":
    command("memory", __doc__, run, RESULTS, gates=2000)
