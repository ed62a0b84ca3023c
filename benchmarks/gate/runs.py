"""Looks, baselines of several runs, and the run as a hypothesis of its own: `python -m benchmarks.gate.runs`.

Trials are drawn in another way than the planner assumes: each has a probability of its own of being answered, from a
beta distribution, and every run answers it independently. The spread of that distribution sets how many pairs change
though nothing has. What falls takes its share of every trial's probability, or all of some trials. The bound, the exact
test and the steps of the gate are written a second time here, in numpy, and compared with the gate's own by a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.table import command, sections, share, table
from longctx.gate.bands import DOUBT, RUN_MARGIN
from longctx.gate.rules import ALPHA
from longctx.stats.group_sequential import ONCE as AT_ONCE
from longctx.stats.group_sequential import Looks, planned

RESULTS = Path(__file__).with_name("RUNS.md")
WORTH = 0.1
"""One-sided p-values above this are never small enough, and are not computed."""
Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Design:
    """A gate: its bands, the trials of each, its margin, and how often it looks."""

    bands: int
    trials: int
    margin: float
    looks: Looks


def rates(gates: int, bands: int, trials: int, rate: float, discordance: float, random: np.random.Generator) -> Array:
    """Return each trial's probability of being answered; two runs differ in a share `discordance` of the trials."""
    spread = rate * (1 - rate) - discordance / 2
    if spread <= 1e-12:
        return np.full((gates, bands, trials), rate)
    size = rate * (1 - rate) / spread - 1
    return random.beta(rate * size, (1 - rate) * size, (gates, bands, trials))


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


def exact(right: Ints, observed: int, mid: bool = False) -> float:
    """Return the p-value of a drop. right: how many trials have 1, 2, … of all runs' answers right, but not all.

    Of a trial with s right of m + 1 answers, the later run has one with a probability of s / (m + 1).
    """
    chance = np.ones(1)
    for place, trials in enumerate(right.tolist(), start=1):
        chance = np.convolve(chance, binomial(trials, place / (len(right) + 1)))
    return float(chance[: observed + 1].sum() - mid * chance[observed] / 2)


@cache
def binomial(n: int, p: float) -> Array:
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    hits = np.arange(n + 1)
    found: Array = np.exp(logs[n] - logs - logs[::-1] + hits * np.log(p) + (n - hits) * np.log1p(-p))
    return found


def p_values(right: Ints, after: Ints, mid: bool = False) -> Array:
    """Return the p-value of each gate. right: see `exact`, one line a gate. after: right ones later."""
    places = np.arange(1, right.shape[1] + 1) / (right.shape[1] + 1)
    expected, variance = right @ places, right @ (places * (1 - places))
    z = (after + 0.5 - expected) / np.sqrt(np.maximum(variance, 1e-12))
    found = np.ones(len(right))
    worth = np.flatnonzero((z < -NormalDist().inv_cdf(1 - WORTH)) & (variance > 0))
    for gate in worth:
        found[gate] = exact(right[gate], int(after[gate]), mid)
    return found


@dataclass(frozen=True, slots=True)
class Case:
    """A gate against a baseline, and what falls."""

    design: Design
    rate: float
    discordance: float
    runs: int = 1
    """Of the baseline."""
    drops: Sequence[float] = ()
    """Of the first bands, shares of trials."""
    entire: bool = False
    """Whether what falls is all of some trials, as a lost document has them, and not a share of each."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What gates draw, cumulated over looks: shape (gates, bands, looks, …)."""

    counts: Array
    """Of each change from -1 to 1."""
    right: Ints
    """Trials with 1, 2, … right answers in all runs, but not all right."""
    after: Ints
    """The later run's right answers to these."""
    ends: Sequence[int]


def drawn(case: Case, gates: int, seed: int = 1) -> Drawn:
    random, design, runs = np.random.default_rng(seed), case.design, case.runs
    chances = rates(gates, design.bands, design.trials, case.rate, case.discordance, random)
    before = np.zeros(chances.shape, np.int8)
    for _ in range(runs):
        before += random.random(chances.shape) < chances
    for band, drop in enumerate(case.drops):
        lost = random.random(chances[:, band].shape) < drop / case.rate if case.entire else drop / case.rate
        chances[:, band] *= 1 - lost
    after = (random.random(chances.shape) < chances).astype(np.int8)
    return tallied_up(before, after, runs, design.looks)


def tallied_up(before: NDArray[np.int8], after: NDArray[np.int8], runs: int, looks: Looks) -> Drawn:
    """Return what gates look at. before: right answers of all runs of the baseline; after: of the later run."""
    trials = before.shape[-1]
    ends = looks.ends(trials)
    parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    change, total = after * np.int8(runs) - before, before + after

    def tallied(values: NDArray[np.bool_]) -> Ints:
        return np.stack([values[..., part].sum(axis=-1) for part in parts], axis=-1).cumsum(axis=-1)

    counts = np.stack([tallied(change == step) for step in range(-runs, runs + 1)], axis=-1)
    right = np.stack([tallied(total == number) for number in range(1, runs + 1)], axis=-1)
    informative = after.astype(bool) & (total > 0) & (total <= runs)
    return Drawn(counts.astype(float), right, tallied(informative), ends)


@dataclass(frozen=True, slots=True)
class Rule:
    """How a gate judges."""

    run_margin: float | None = RUN_MARGIN
    """That of the run as a hypothesis of its own; None without one."""
    doubt: float = DOUBT
    """The share of it that the run must have lost for settled bands to be asked further; 2 for never."""
    first: bool = False
    """Whether bands are tested only once the run has shown a drop."""
    mid: bool = True
    """Whether mid-p-values are taken."""
    normal: bool = False
    """Whether the bound takes the variance that was observed."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts over gates."""

    gates: int
    passed: int
    found: int
    """Gates with a regression."""
    band_passed: int
    """Passes of the first band."""
    price: float
    """The mean share of the trials that were asked."""


def counted(case: Case, rule: Rule, gates: int, seed: int = 1) -> Counted:
    """Return what gates do."""
    return judged(drawn(case, gates, seed), case.design, rule)


def judged(of: Drawn, design: Design, rule: Rule) -> Counted:
    """Return what gates do with what is drawn."""
    gates, bands, _, sizes = of.counts.shape
    shape, changes = (gates, bands), np.linspace(-1, 1, sizes)
    p, p_run, with_run = np.ones(shape), np.ones(gates), rule.run_margin is not None
    settled, passed, asking = np.zeros(shape, bool), np.zeros(shape, bool), np.ones(shape, bool)
    within, asked = np.zeros(gates, bool), np.zeros(shape, np.int64)
    bound, shown, run_shown = wald if rule.normal else scores, np.zeros(shape, bool), np.zeros(gates, bool)
    for look in range(1, design.looks.number + 1):
        asked[asking] = look - 1
        here = asking.any(axis=1)
        going, z = asking & ~settled, -NormalDist().inv_cdf(design.looks.level(ALPHA, look))

        def at_look(right: Ints, after: Ints, look: int = look) -> Array:
            return np.array([design.looks.repeated_p_value(each, look) for each in p_values(right, after, rule.mid)])

        counts, right, after = (array[:, :, look - 1] for array in (of.counts, of.right, of.after))
        p[going] = np.minimum(p[going], at_look(right[going], after[going]))
        passed[going] |= bound(counts[going], design.margin) > z
        drop = -(counts @ changes) / of.ends[look - 1]
        doubtful = np.zeros(gates, bool)
        if rule.run_margin is not None:
            of_run = [_gathered(array, asked).sum(axis=1) for array in (of.counts, of.right, of.after)]
            p_run[here] = np.minimum(p_run[here], at_look(of_run[1][here], of_run[2][here]))
            within[here] |= bound(of_run[0][here], rule.run_margin) > z
            doubtful = -(of_run[0] @ changes) / of_run[0].sum(axis=1) >= rule.doubt * rule.run_margin
        shown, run_shown = _shown(p, p_run if with_run else None, rule.first)
        settled |= going & (passed | (shown & (drop >= design.margin)))
        regressed = (settled & shown & ~passed).any(axis=1)
        asking &= ~settled | (doubtful & ~run_shown & ~regressed)[:, None]
    lost = (shown & ~passed).any(axis=1) | (run_shown & ~within)
    price = float(np.array(of.ends)[asked].mean() / design.trials)
    return Counted(gates, int((passed.all(axis=1) & ~lost).sum()), int(lost.sum()), int(passed[:, 0].sum()), price)


def _shown(p: Array, p_run: Array | None, first: bool) -> tuple[Bools, Bools]:
    """Return in which bands, and in which runs, a drop is shown."""
    if p_run is None:
        return holm(p), np.zeros(len(p), bool)
    if first:
        return holm(p) & (p_run <= ALPHA)[:, None], p_run <= ALPHA
    shown = holm(np.column_stack([p, p_run]))
    return shown[:, :-1], shown[:, -1]


def wald(counts: Array, delta: float) -> Array:
    """Return the same score with the variance that was observed."""
    changes, n = np.linspace(-1, 1, counts.shape[1]), counts.sum(axis=1)
    mean = counts @ changes / n
    found: Array = (mean + delta) / np.sqrt(np.maximum(counts @ changes**2 / n - mean**2, 1e-12) / n)
    return found


def holm(p: Array) -> Bools:
    order = p.argsort(axis=1)
    steps = ALPHA / np.arange(p.shape[1], 0, -1)
    rejected = (np.take_along_axis(p, order, 1) <= steps).cumprod(axis=1).astype(bool)
    result = np.zeros_like(rejected)
    np.put_along_axis(result, order, rejected, 1)
    return result


def _gathered(array: Any, asked: Ints) -> Any:
    """Return what each band has at the look that it was asked to."""
    return np.take_along_axis(array, asked.reshape(*asked.shape, *[1] * (array.ndim - 2)), axis=2)[:, :, 0]


EQUAL = planned("equal", 360, 360, 0.075, ALPHA)
"""Five equal looks, the plan of recordings that name none."""
ONCE = Design(bands=7, trials=360, margin=0.075, looks=AT_ONCE)
LOOKS = Design(bands=7, trials=360, margin=0.075, looks=EQUAL)
"""The bands of profile `gate`, if none had several questions in a context."""
MORE = Design(bands=7, trials=432, margin=0.075, looks=EQUAL)
PR = Design(bands=2, trials=160, margin=0.125, looks=EQUAL)
RUNS = (1, 3, 6)
NOISES = (
    *((0.95, changing) for changing in (0.02, 0.05)),
    *((0.9, changing) for changing in (0.02, 0.05, 0.1)),
    *((0.7, changing) for changing in (0.02, 0.05, 0.1, 0.2)),
    *((0.5, changing) for changing in (0.02, 0.05, 0.1, 0.2, 0.3)),
)
"""Rates, and the shares of pairs of runs that change by chance; at 0.95 no two runs differ in 10%, at 0.9 in 20%."""


def unchanged(gates: int) -> str:
    """How often an unchanged model passes, and raises an alarm."""
    rows = []
    for design in (ONCE, LOOKS, MORE):
        for rate, discordance in NOISES:
            found = [counted(Case(design, rate, discordance, runs), Rule(), gates) for runs in RUNS]
            passes, alarms = ([share(getattr(of, name), gates) for of in found] for name in ("passed", "found"))
            alone = counted(Case(design, rate, discordance), Rule(None), gates)
            price = (f"{of.price:.0%}" for of in (*found, alone))
            rows.append([_named(design), rate, f"{discordance:.0%}", *passes, *alarms, *price])
    heads = [f"{what}, {runs} run{'s' * (runs > 1)}" for what in ("passes", "false alarms", "price") for runs in RUNS]
    return table(["gate", "rate", "pairs that change", *heads, "price of bands alone, 1 run"], rows)


def margins(gates: int) -> str:
    """How often a band passes whose drop is exactly the margin."""
    rows = []
    for design in (ONCE, LOOKS, PR):
        alone = replace(design, bands=1)
        for rate, discordance in NOISES:
            for entire in (False, True):
                cases = [Case(alone, rate, discordance, runs, (design.margin,), entire) for runs in RUNS]
                passes = [counted(case, Rule(None), gates).band_passed for case in cases]
                by_normal = counted(cases[-1], Rule(None, normal=True), gates).band_passed
                how = "all of some trials" if entire else "a share of each"
                cells = [share(number, gates) for number in (*passes, by_normal)]
                rows.append([_named(alone), f"{design.margin:.1%}", rate, f"{discordance:.0%}", how, *cells])
    heads = [*(f"passes, {runs} run{'s' * (runs > 1)}" for runs in RUNS), "6 runs, observed variance"]
    return table(["gate", "margin", "rate", "pairs that change", "lost", *heads], rows)


WHERE = {"one band": 1, "a test of two bands": 2, "everywhere": 7}


def dropped(gates: int) -> str:
    """What is found, by the size and the place of a drop."""
    rows = []
    for discordance in (0.02, 0.05, 0.1):
        for place, bands in WHERE.items():
            for points in (3, 5, 10, 15):
                cases = [Case(LOOKS, 0.9, discordance, runs, (points / 100,) * bands) for runs in (1, 3)]
                flat, first = (counted(cases[0], rule, gates) for rule in (Rule(None), Rule(first=True, doubt=2)))
                found = [counted(case, Rule(), gates) for case in cases]
                cells = [share(of.found, gates) for of in (flat, first, *found)]
                price = [f"{of.price:.0%}" for of in (flat, found[0])]
                rows.append([f"{discordance:.0%}", place, f"{points} points", *cells, *price])
    heads = ["bands alone", "the run first", "bands and run", "and three runs", "price of bands alone", "with the run"]
    return table(["pairs that change", "drop in", "of", *heads], rows)


def levels(gates: int) -> str:
    """False alarms and finds of exact tests and of mid-p-values, by the number of bands and of trials."""
    rows = []
    designs = (ONCE, LOOKS, PR, Design(2, 40, 0.15, AT_ONCE), Design(12, 100, 0.1, EQUAL))
    for design in designs:
        for rate, discordance in ((0.9, 0.1), (0.7, 0.2), (0.5, 0.4)):
            same = [counted(Case(design, rate, discordance), Rule(mid=mid), gates) for mid in (False, True)]
            lost = Case(design, rate, discordance, 1, (0.05,) * design.bands)
            fell = [counted(lost, Rule(mid=mid), gates) for mid in (False, True)]
            cells = [share(of.found, gates) for of in (*same, *fell)]
            rows.append([_named(design), rate, f"{discordance:.0%}", *cells])
    heads = ["alarms, exact", "alarms, mid-p", "5 points everywhere found, exact", "mid-p"]
    return table(["gate", "rate", "pairs that change", *heads], rows)


def _named(design: Design) -> str:
    bands, looks = (
        f"{number} {noun}{'s' * (number > 1)}"
        for number, noun in ((design.bands, "band"), (design.looks.number, "look"))
    )
    return f"{bands} of {design.trials}, {looks}"


PARTS: Sequence[tuple[str, Callable[[int], str]]] = (
    ("Nothing has changed", unchanged),
    ("A drop of exactly the margin, in a gate of one band", margins),
    ("A drop at a rate of 0.9, seven bands of 360 in five looks", dropped),
    ("Exact tests and mid-p-values", levels),
)


def run(gates: int) -> Iterator[str]:
    yield (
        "# Looks, baselines of several runs, and the run as a hypothesis\n\nWritten by "
        f"`python -m benchmarks.gate.runs`, {gates:,} gates a line; brackets are Wilson's 95%. Prices are shares of "
        "what all trials cost."
    )
    yield from sections(PARTS, gates)


if __name__ == "__main__":
    command("runs", __doc__, run, RESULTS)
