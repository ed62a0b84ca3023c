"""One clustered band by itself: both errors of the gate at each number of clusters, and of McNemar's test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.gate.draws import HARD, PROMPT, Drawn, Shares, draw
from benchmarks.gate.grids import Grid, Part
from benchmarks.gate.others import pooled_mcnemar
from benchmarks.gate.table import percent, share, table
from longctx.measure.bound import design_effect, drop_bound
from longctx.measure.gate import Band
from longctx.measure.paired import tango
from longctx.measure.rates import wilson
from longctx.measure.signflip import drop_p_value

BAND = Band("collage", "one")
Z = 1.6448536269514722
PAIRS = {"prompt": PROMPT, "hard": HARD}
MARGINS = (0.05, 0.1, 0.2)


def drawn(
    clusters: int, trials: int, rates: tuple[float, float], shares: Shares, gates: int, random: np.random.Generator
) -> Iterator[Drawn]:
    """Sections of 5 questions with so many trials each."""
    grid = Grid("one band", ((Part(BAND, (5,) * clusters, trials),),))
    for _ in range(gates):
        yield draw(grid, {BAND: rates}, shares, random)[BAND]


def numbers(gates: int, random: np.random.Generator) -> str:
    """Both errors at each number of clusters."""
    rows = []
    for clusters in (5, 8, 10, 15, 20, 30, 60, 86):
        for name, shares in PAIRS.items():
            alarms = [_alarms(clusters, rate, shares, gates, random) for rate in (0.5, 0.9, 0.1)]
            passes = [_passes(clusters, margin, shares, gates, random) for margin in MARGINS]
            before = _passes(clusters, 0.05, shares, gates, random, tangos=True)
            rows.append([clusters, name, *alarms, *passes, before])
    head = ["clusters", "pair", *(f"false alarms at {rate}" for rate in (0.5, 0.9, 0.1))]
    return table(
        [*head, *(f"passes a drop of exactly {margin}" for margin in MARGINS), "the same at 0.05, Tango's alone"], rows
    )


def pooled(gates: int, random: np.random.Generator) -> str:
    """False alarms of McNemar's test over all trials, and of sign flips over sections, at 5%."""
    rows = []
    for trials in (1, 24):
        for name, shares in PAIRS.items():
            for rate in (0.3, 0.5, 0.9):
                pairs = list(drawn(86, trials, (rate, rate), shares, gates, random))
                falls = sum(drop_p_value([sum(cluster) for cluster in one.clusters]) <= 0.05 for one in pairs)
                rows.append(
                    [5 * trials, name, rate, share(sum(map(pooled_mcnemar, pairs)), gates), share(falls, gates)]
                )
    return table(["trials a section", "pair", "rate", "pooled McNemar", "sign flips"], rows)


def _alarms(clusters: int, rate: float, shares: Shares, gates: int, random: np.random.Generator) -> str:
    pairs = drawn(clusters, 5, (rate, rate), shares, gates, random)
    return percent(sum(drop_p_value([sum(cluster) for cluster in one.clusters]) <= 0.05 for one in pairs), gates)


def _passes(
    clusters: int, margin: float, shares: Shares, gates: int, random: np.random.Generator, tangos: bool = False
) -> str:
    """The highest share of two rates, 0.9 and 0.99, at which this is hardest."""
    bound = _tangos if tangos else drop_bound
    counts = [
        sum(bound(one.clusters) < margin for one in drawn(clusters, 5, (rate, rate - margin), shares, gates, random))
        for rate in (0.9, 0.99)
    ]
    worst = max(counts)
    return percent(worst, gates) + (" *" if wilson(worst, gates)[0] > 0.05 else "")


def _tangos(clusters: list[list[int]]) -> float:
    changes = [change for cluster in clusters for change in cluster]
    shrink = design_effect(clusters)
    return -tango(changes.count(1) / shrink, changes.count(-1) / shrink, len(changes) / shrink, Z)[0]
