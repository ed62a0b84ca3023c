"""One clustered band by itself: both errors of the gate at each number of clusters, and of McNemar's test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.gate.draws import HARD, PROMPT, Drawn, Shares, draw
from benchmarks.gate.grids import Axes, Part
from benchmarks.gate.others import pooled_mcnemar
from benchmarks.gate.table import share, table
from longctx.gate.bands import LEAST_CLUSTERS, Band
from longctx.stats.averaged import Averaged, sign_flip_p_value
from longctx.stats.bound import p_value_over_clusters
from longctx.stats.paired import tango
from longctx.stats.rates import design_effect, wilson

BAND = Band("collage", "one")
Z = 1.6448536269514722
PAIRS = {"prompt": PROMPT, "hard": HARD}
BANDS = 9
"""The number of bands of the paper grid, all of which Holm's correction counts."""
MARGINS = (0.05, 0.1, 0.2)


def drawn(
    questions: tuple[int, ...],
    trials: int,
    cases: Sequence[tuple[float, float]],
    shares: Shares,
    gates: int,
    random: np.random.Generator,
) -> list[tuple[Drawn, ...]]:
    """Return the pairs of all gates for each pair of rates. questions: of each section; trials: of each question."""
    grid = Axes("one band", ((Part(BAND, questions, trials),),))
    gates_drawn = (draw(grid, [{BAND: rates} for rates in cases], shares, random) for _ in range(gates))
    return list(zip(*([drawn[BAND] for drawn in gate] for gate in gates_drawn), strict=True))


def numbers(gates: int, random: np.random.Generator) -> str:
    """Both errors at each number of clusters. A drop of the margin: at the harder one of the rates before it."""
    flat = [(rate, rate) for rate in (0.5, 0.9, 0.1)]
    falls = [(rate, rate - margin) for margin in MARGINS for rate in (0.9, 0.99)]
    rows = []
    sizes = [(f"{sections} of 25 trials", (5,) * sections, 5) for sections in (5, 8, 10, 12, 15, 20, 30, 60, 86)]
    sizes += [(f"{trials} trials alone", (1,) * trials, 1) for trials in (160, 560)]
    for title, questions, trials in sizes:
        for name, shares in PAIRS.items():
            pairs = drawn(questions, trials, [*flat, *falls], shares, gates, random)
            alarms = [sum(map(_alarm, pair)) for pair in pairs[: len(flat)]]
            alarms.append(sum(_alarm(pair, BANDS) for pair in pairs[len(flat) - 1]))
            bounds = [[Averaged.of_changes(pair.clusters).drop_bound() for pair in case] for case in pairs[len(flat) :]]
            passes = [
                max(sum(bound < margin for bound in case) for case in bounds[2 * place : 2 * place + 2])
                for place, margin in enumerate(MARGINS)
            ]
            before = max(sum(_tangos(pair.clusters) < 0.05 for pair in case) for case in pairs[len(flat) :][:2])
            rows.append([title, name, *(_marked(count, gates) for count in (*alarms, *passes, before))])
    head = ["clusters", "pair", *(f"false alarms at {rate}" for rate, _ in flat)]
    head += [f"at {flat[-1][0]} as one of {BANDS} bands"]
    head += [f"passes a drop of exactly {margin}" for margin in MARGINS]
    return table([*head, "the same at 0.05, Tango's bound alone"], rows)


def pooled(gates: int, random: np.random.Generator) -> str:
    """False alarms of McNemar's test over all trials, and of sign flips over sections, at 5%."""
    rows = []
    rates = (0.3, 0.5, 0.9)
    for trials in (1, 24):
        for name, shares in PAIRS.items():
            pairs = drawn((5,) * 86, trials, [(rate, rate) for rate in rates], shares, gates, random)
            for rate, case in zip(rates, pairs, strict=True):
                counts = sum(map(pooled_mcnemar, case)), sum(map(_alarm, case))
                rows.append([5 * trials, name, rate, *(share(count, gates) for count in counts)])
    return table(["trials a section", "pair", "rate", "pooled McNemar", "sign flips"], rows)


def shared(gates: int, random: np.random.Generator) -> str:
    """False alarms at 5% where the trials of a cluster change together: each by itself, and by sign flips of clusters.

    A cluster's rate is drawn from a beta distribution, and drawn again after the change with the given probability; the
    answers of each run are drawn by themselves.
    """
    rows = []
    for name, number, size in (("32 distances of 10 keys", 32, 10), ("150 graphs with 2 walks", 150, 2)):
        for moved in (0.0, 0.25, 0.5, 1.0):
            alone = together = 0
            for _ in range(gates):
                before = random.beta(1.4, 0.6, (number, 1))
                after = np.where(random.random((number, 1)) < moved, random.beta(1.4, 0.6, (number, 1)), before)
                first, second = (random.random((number, size)) < rate for rate in (before, after))
                changes = second.astype(int) - first.astype(int)
                alone += sign_flip_p_value(changes.ravel().tolist()) <= 0.05
                together += sign_flip_p_value(changes.sum(axis=1).tolist()) <= 0.05
            rows.append([name, f"{moved:.0%}", share(alone, gates), share(together, gates)])
    return table(["clusters", "that the change moves", "trials by themselves", "clusters"], rows)


def _alarm(drawn: Drawn, bands: int = 1) -> bool:
    return shown([sum(cluster) for cluster in drawn.clusters], drawn.n, 0.05 / bands)


def shown(sums: list[int], trials: int, alpha: float) -> bool:
    """Return whether a drop is significant, as the gate has it. sums: the changes of each cluster."""
    if sign_flip_p_value(sums) > alpha:
        return False
    return len(sums) >= LEAST_CLUSTERS or p_value_over_clusters(sums, trials) <= alpha


def _marked(count: int, gates: int) -> str:
    """Return the count in percent, with a star if its whole interval lies above 5%."""
    return f"{100 * count / gates:.1f}%" + (" *" if wilson(count, gates)[0] > 0.05 else "")


def _tangos(clusters: list[list[int]]) -> float:
    changes = [change for cluster in clusters for change in cluster]
    deff = design_effect(clusters)
    return -tango(changes.count(1) / deff, changes.count(-1) / deff, len(changes) / deff, Z)[0]
