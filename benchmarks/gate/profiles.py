"""What the profiles for gates find, and how often they pass: `python -m benchmarks.gate.profiles`.

The planner sums over how many pairs are gained and lost. Here trials have latent difficulties, of which the two runs
share as much as makes 10% of the pairs differ at a rate of 0.9, and the gate itself judges what is drawn, with Holm's
correction over all bands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.gate.draws import Rates, Shares, draw
from benchmarks.gate.grids import Grid, Part, alone
from benchmarks.gate.table import command, share, table
from longctx.config.profiles import load_profile
from longctx.gate.bands import ALPHA, AtLook, Band, Looks, Verdict, judge_run, overall
from longctx.workspace import Workspace

RESULTS = Path(__file__).with_name("PROFILES.md")
RATE = 0.9
TENTH = Shares(section=0.2, question=0.2, change=0.1, noise=0.16)
"""74% of the difficulty repeats: at a rate of 0.9, 10% of the pairs differ."""
PASSKEY = Band("passkey", "all")
COLLAPSED = 0.3
LOWER = 0.7
"""A rate of sets, of which one name too many or too few is wrong; 20% of the pairs differ."""


def _contexts(family: str, name: str, number: int, questions: int) -> tuple[tuple[Part, ...], ...]:
    """Return a band of so many contexts; a context takes the place of a section."""
    return ((Part(Band(family, name), (questions,) * number),),)


GATE = Grid(
    "gate",
    (
        *alone("line_retrieval", short=360, long=360),
        *_contexts("collage", "long", 90, 6),
        *alone("collage", meaning=360),
        *_contexts("coreference", "all", 100, 6),
        *_contexts("variable_tracking", "all", 100, 6),
        *alone("passkey", all=360),
    ),
)
GATE_PR = Grid("gate-pr", (*alone("line_retrieval", short=160), *_contexts("collage", "short", 42, 4)))
GATE_SETS = Grid(
    "gate-sets",
    tuple(part for name in ("multiple_needles", "frequent_words", "graph_walks") for part in alone(name, all=300)),
)


@dataclass(frozen=True, slots=True)
class Case:
    """What falls. rates: of bands after; others stay."""

    title: str
    rates: Mapping[Band, float]


def run(gates: int) -> Iterator[str]:
    yield (
        "# What the profiles for gates find\n\nWritten by `python -m benchmarks.gate.profiles`; "
        f"{gates:,} gates a line, brackets are Wilson's 95%."
    )
    yield "## gate\n\n" + simulated(GATE, _gate_cases(), gates)
    yield "## gate-pr\n\n" + simulated(GATE_PR, _pr_cases(), gates)
    drops = (0.0, 0.05, 0.1, 0.15, 0.2)
    yield "## gate-pr, pairs drawn as the planner assumes\n\n" + planned_pairs(GATE_PR, drops, min(gates, 400))
    for rate in (RATE, LOWER):
        counts = simulated(GATE_SETS, _sets_cases(rate), gates, rate=rate)
        yield f"## gate-sets, at a rate of {rate}\n\n{counts}"
    yield "## Unchanged models of other rates, and gates on noisier models\n\n" + guesses(gates)


def _gate_cases() -> list[Case]:
    bands = [part.band for part in GATE.parts]
    long = [Band("line_retrieval", "long"), Band("collage", "long"), Band("coreference", "all")]
    return [
        Case("nothing", {}),
        *(Case(f"{band}: 10 points", {band: RATE - 0.1}) for band in bands),
        *(Case(f"{band}: to {COLLAPSED}", {band: COLLAPSED}) for band in long),
        Case(f"passkey in half of its distances: to {COLLAPSED}", {PASSKEY: (RATE + COLLAPSED) / 2}),
        *(Case(f"all bands: {points} points", dict.fromkeys(bands, RATE - points / 100)) for points in (3, 5)),
    ]


def _pr_cases() -> list[Case]:
    [one, other] = [part.band for part in GATE_PR.parts]
    drops = (0.05, 0.1, 0.15, 0.2, 0.3, 0.6)
    return [
        Case("nothing", {}),
        *(Case(f"{one}: {100 * drop:.0f} points", {one: RATE - drop}) for drop in drops),
        Case(f"{other}: 15 points", {other: RATE - 0.15}),
        Case("both: 10 points", {one: RATE - 0.1, other: RATE - 0.1}),
        Case("both: 15 points", {one: RATE - 0.15, other: RATE - 0.15}),
    ]


def _sets_cases(rate: float) -> list[Case]:
    bands = [part.band for part in GATE_SETS.parts]
    drops = (0.05, 0.1, 0.13, 0.15, 0.2, 0.6)
    return [
        Case("nothing", {}),
        *(Case(f"{bands[0]}: {100 * drop:.0f} points", {bands[0]: rate - drop}) for drop in drops),
        *(Case(f"{band}: 15 points", {band: rate - 0.15}) for band in bands[1:]),
        Case("all bands: 10 points", dict.fromkeys(bands, rate - 0.1)),
    ]


def simulated(grid: Grid, cases: Sequence[Case], gates: int, rate: float = RATE) -> str:
    counts = verdicts(grid, cases, TENTH, gates, rate)
    rows = [
        [case.title, *(share(count[verdict], gates) for verdict in ("pass", "regression", "inconclusive"))]
        for case, count in zip(cases, counts, strict=True)
    ]
    return table(["what falls", "pass", "regression", "inconclusive"], rows)


def planned_pairs(grid: Grid, drops: Sequence[float], gates: int) -> str:
    """Draw pairs by themselves: 5% gained and 5% lost by chance, and the drop lost on top in the first band.

    Latent difficulties are kinder: what falls takes from what would have been gained, too.
    """
    margin, random, rows = _margin(grid), np.random.default_rng(10), []
    for drop in drops:
        counts: Counter[Verdict] = Counter()
        for _ in range(gates):
            clusters = {
                part.band: [[int(change)] for change in random.choice((1, -1, 0), part.n, p=(0.05, lost, 0.95 - lost))]
                for part, lost in zip(grid.parts, (0.05 + drop, *[0.05] * (len(grid.parts) - 1)), strict=True)
            }
            counts[_verdict(clusters, margin)] += 1
        rows.append(
            [
                f"{100 * drop:.0f} points",
                *(share(counts[verdict], gates) for verdict in ("pass", "regression", "inconclusive")),
            ]
        )
    return table(["drop in one band", "pass", "regression", "inconclusive"], rows)


def _margin(grid: Grid) -> float:
    margin = load_profile(Workspace(Path.cwd()), grid.name).margin
    assert margin is not None
    return margin


def guesses(gates: int) -> str:
    """Return how often unchanged models pass if the guesses do not hold."""
    rows = []
    for noise in (0.02, 0.1, 0.26, 0.4):
        shares = Shares(section=0.2, question=0.2, change=0.0, noise=noise)
        for rate in (0.5, 0.7, 0.9, 0.98):
            [count] = verdicts(GATE, [Case("", {})], shares, gates // 4, rate)
            others = (verdicts(grid, [Case("", {})], shares, gates // 4, rate) for grid in (GATE_PR, GATE_SETS))
            passed = [count["pass"], *(passing["pass"] for [passing] in others)]
            differ = _differing(shares, rate)
            rows.append([f"{1 - noise:.0%}", rate, f"{differ:.1%}", *(share(rates, gates // 4) for rates in passed)])
    heads = "of the difficulty repeats", "rate", "pairs that differ"
    return table([*heads, *(f"{grid.name} passes" for grid in (GATE, GATE_PR, GATE_SETS))], rows)


def _differing(shares: Shares, rate: float) -> float:
    grid = Grid("many", alone("any", all=20_000))
    [drawn] = draw(grid, [{Band("any", "all"): (rate, rate)}], shares, np.random.default_rng(9))
    return sum(any(cluster) for pairs in drawn.values() for cluster in pairs.clusters) / 20_000


def verdicts(
    grid: Grid, cases: Sequence[Case], shares: Shares, gates: int, rate: float = RATE
) -> list[Counter[Verdict]]:
    """Return the verdicts of each case, counted over `gates` gates."""
    margin = _margin(grid)
    rates: list[Rates] = [{part.band: (rate, case.rates.get(part.band, rate)) for part in grid.parts} for case in cases]
    random, counts_by_case = np.random.default_rng(len(cases)), [Counter[Verdict]() for _ in cases]
    for _ in range(gates):
        for drawn, count in zip(draw(grid, rates, shares, random), counts_by_case, strict=True):
            clusters = {band: pairs.clusters for band, pairs in drawn.items()}
            count[_verdict(clusters, margin)] += 1
    return counts_by_case


def _verdict(clusters: Mapping[Band, Sequence[Sequence[int]]], margin: float) -> Verdict:
    """Return the verdict on bands and on the run. The same sections of collages are in both of their bands."""
    looks = {}
    for band, of_band in clusters.items():
        named = {
            f"section-{place}" if band.family == "collage" else (band.name, place): [
                _SIDES[change] for change in cluster
            ]
            for place, cluster in enumerate(of_band)
        }
        looks[band] = Looks(1, [AtLook(of_band, of_band, answers=(named, named))])
    bands, run = judge_run(looks, margin, ALPHA)
    lost = run is not None and run[0].verdict == "regression"
    return "regression" if lost else overall(band.verdict for band, _ in bands)


_SIDES = {0: ([True], [True]), 1: ([False], [True]), -1: ([True], [False])}
"""The answers before and after that make each change."""


if __name__ == "__main__":
    command("profiles", __doc__, run, RESULTS)
