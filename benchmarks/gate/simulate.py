"""The whole simulation, part by part; each part has its own seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.gate import clusters, floors, frozen, windows
from benchmarks.gate.draws import PROMPT, RERUN, Drawn, Rates, Shares, draw
from benchmarks.gate.grids import PAPER, RECORDED, Axes
from benchmarks.gate.others import fixed_threshold, threshold_alarms, trials_needed, unpaired
from benchmarks.gate.table import share, table
from longctx.gate.bands import Band, judge, overall
from longctx.gate.rules import ALPHA, MARGIN
from longctx.stats.averaged import Averaged
from longctx.stats.bound import trials_to_settle
from longctx.stats.rates import design_effect

RATES = (0.5, 0.9, 0.99, 1.0)
PAIRS = {"rerun": RERUN, "prompt": PROMPT}
TITLE = "What the gate finds, and how often it errs"
PILOT = 20
"""Gates from which the planning takes the discordance and design effect of a band."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts over n gates. passes: by band. threshold, apart: alarms of the fixed threshold and the unpaired z-test."""

    n: int
    passes: dict[Band, int]
    regression: int
    passed: int
    threshold: int
    apart: int


def run(scale: float = 1.0) -> Iterator[str]:
    """Return the parts of RESULTS.md. scale: a factor on the numbers of gates."""

    def gates(full: int) -> int:
        return max(1, round(full * scale))

    yield f"# {TITLE}\n\nWritten by `python -m benchmarks.gate`; brackets are Wilson's 95%."
    yield "## Drops in the paper grid\n\n" + drops(gates(1000))
    yield "## Trials for a power of 90%, one band, one-sided 5%, rate 0.4 before\n\n" + needed()
    yield "## A drop of 7 points and the filter of questions\n\n" + frozen.filters(gates(1000), _seeded(4))
    yield "## The interval of k_max\n\n" + windows.coverage(gates(1000), _seeded(5))
    yield "## A baseline with nothing to lose\n\n" + floors.vacuous(gates(1000), _seeded(8))
    yield "## Two runs of the same model\n\n" + alarms("rerun", gates(2000), gates(PILOT))
    yield "## A change of the prompt without an effect on average\n\n" + alarms("prompt", gates(1000), gates(PILOT))
    yield "## Number of clusters\n\n" + clusters.numbers(gates(1000), _seeded(2))
    yield "## McNemar's test over all trials of 86 sections, where nothing changed\n\n" + clusters.pooled(
        gates(1000), _seeded(3)
    )
    yield "## Trials that share a text or a graph, where a harmless change moves some up and others down\n\n" + (
        clusters.shared(gates(1000), _seeded(9))
    )


def alarms(pair: str, gates: int, pilots: int) -> str:
    rows = []
    for grid in (PAPER, RECORDED):
        cases = [{part.band: (rate, rate) for part in grid.parts} for rate in RATES]
        counts = judged(grid, cases, PAIRS[pair], gates, _seeded(1))
        for rate, counted, planned in zip(RATES, counts, plan(grid, cases, PAIRS[pair], pilots), strict=True):
            powered = [counted.passes[band] for band in planned.bands]
            rows.append(
                [grid.name, rate, f"{100 * planned.discordance:.1f}%", share(counted.regression, counted.n)]
                + [share(counted.passed, counted.n), "yes" if planned.together else "no"]
                + [f"{len(powered)} of {len(counted.passes)}", share(min(powered), counted.n) if powered else "none"]
                + [share(count, counted.n) for count in (counted.threshold, counted.apart)]
            )
    head = ["grid", "rate", "pairs that differ", "regression", "pass", "powered to pass in all bands"]
    head += ["bands powered alone", "the least of them passes"]
    return table([*head, "threshold alarms", "z-test alarms"], rows)


def drops(gates: int) -> str:
    tests = list(dict.fromkeys(part.band.test for part in PAPER.parts))
    cases = [(f"0.3 in the longest band of {test}", 0.3, {band}) for test, band in PAPER.longest.items()]
    for test in tests:
        cases.append((f"0.1 in {test}", 0.1, {part.band for part in PAPER.parts if part.band.test == test}))
    cases.append(("0.05 in all", 0.05, {part.band for part in PAPER.parts}))
    chosen = [(title, drop, fallen, rate) for title, drop, fallen in cases for rate in (0.5, 0.9)]
    rates = [
        {part.band: (rate, rate - drop * (part.band in fallen)) for part in PAPER.parts}
        for _, drop, fallen, rate in chosen
    ]
    rows = [
        [
            title,
            rate,
            *(
                share(count, counted.n)
                for count in (counted.regression, counted.passed, counted.threshold, counted.apart)
            ),
        ]
        for (title, _, _, rate), counted in zip(chosen, judged(PAPER, rates, PROMPT, gates, _seeded(6)), strict=True)
    ]
    return table(["drop", "rate before", "found", "passed", "found by threshold", "found by z-test"], rows)


def needed() -> str:
    rows = []
    for drop in (0.05, 0.1):
        for discordance in (0.1, 0.2, 0.3, 0.4, 0.5):
            paired, apart, fixed = trials_needed(0.4, drop, discordance)
            ratio, enough = f"{apart / paired:.2f}", "none is enough"
            if fixed is not None:
                enough = f"{fixed} ({threshold_alarms(fixed, discordance):.0%})"
            rows.append([drop, f"{discordance:.0%}", paired, apart, ratio, enough])
    head = ["drop", "pairs that differ", "paired", "unpaired z-test", "ratio"]
    return table([*head, "threshold 0.05 (its false alarms)"], rows)


def judged(grid: Axes, cases: Sequence[Rates], shares: Shares, gates: int, random: np.random.Generator) -> list[Counts]:
    """Return the counts of each case over `gates` gates."""
    totals = [np.zeros(4, dtype=int) for _ in cases]
    passes = [dict.fromkeys(rates, 0) for rates in cases]
    # Where every answer is right in both runs, all gates are the same gate.
    weights = [gates if all(pair == (1.0, 1.0) for pair in rates.values()) else 1 for rates in cases]
    for gate in range(gates):
        for place, drawn in enumerate(draw(grid, cases, shares, random)):
            if gate and weights[place] > 1:
                continue
            verdicts = judge({band: Averaged.of_changes(pairs.clusters) for band, pairs in drawn.items()})
            for band in verdicts:
                passes[place][band.band] += weights[place] * (band.verdict == "pass")
            verdict = overall(band.verdict for band in verdicts)
            seen = (verdict == "regression", verdict == "pass", fixed_threshold(drawn), unpaired(drawn))
            totals[place] += weights[place] * np.array(seen)
    return [Counts(gates, by_band, *map(int, counts)) for by_band, counts in zip(passes, totals, strict=True)]


@dataclass(frozen=True, slots=True)
class Plan:
    """together: whether nine gates in ten should pass in all bands. bands: those that should by themselves."""

    together: bool
    bands: list[Band]
    discordance: float


def plan(grid: Axes, cases: Sequence[Rates], shares: Shares, number: int = PILOT) -> list[Plan]:
    """Return what trials_to_settle says of a grid, given the discordance and design effects of some gates."""
    random = _seeded(7)
    pilots = [draw(grid, cases, shares, random) for _ in range(number)]
    return [_plan(grid, [pilot[place] for pilot in pilots]) for place in range(len(cases))]


def _plan(grid: Axes, pilots: Sequence[Mapping[Band, Drawn]]) -> Plan:
    together, bands, differ = True, [], 0
    for part in grid.parts:
        clusters_of_pilots = [pilot[part.band].clusters for pilot in pilots]
        changed = sum(change != 0 for pairs in clusters_of_pilots for cluster in pairs for change in cluster)
        differ += changed
        size = part.n / len(clusters_of_pilots[0])
        deff = float(np.mean([design_effect(clusters) for clusters in clusters_of_pilots]))
        discordance = changed / part.n / len(pilots)
        least, all_pass = (
            trials_to_settle(discordance, MARGIN, ALPHA, deff, size, power)
            for power in (0.9, 0.9 ** (1 / len(grid.parts)))
        )
        together &= part.n >= all_pass
        if part.n >= least:
            bands.append(part.band)
    return Plan(together, bands, differ / len(pilots) / sum(part.n for part in grid.parts))


def _seeded(part: int) -> np.random.Generator:
    return np.random.default_rng(part)
