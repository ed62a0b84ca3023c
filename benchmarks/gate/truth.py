"""What the profile `gate-truth` passes and finds, in looks: `python -m benchmarks.gate.truth`.

A trial is answered where its latent difficulty lies below a threshold; 74% of the difficulty repeats from run to run.
The questions of abstention are asked with their section and without it, so that the two share part of it. Needless
refusals are wrong answers to questions with their section: those to the most difficult half of these, and where they
grow they take the other wrong answers first. The steps of the gate are those of benchmarks/gate/runs.py, which a test
compares with the gate's own; they take what is asked about one section as independent where they judge the run, the
gate as a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.draws import quantile
from benchmarks.gate.runs import Counted, Design, Rule, judged, tallied_up
from benchmarks.gate.table import command, share, table
from longctx.gate.rules import ALPHA
from longctx.stats.group_sequential import planned

RESULTS = Path(__file__).with_name("TRUTH.md")
LATEST, AGGREGATION = "latest_value, all", "aggregation, all"
ABSENT, PRESENT, ANSWERS = "abstention, all absent", "abstention, all present", "abstention.answers, all present"
BANDS = LATEST, ABSENT, PRESENT, ANSWERS, AGGREGATION
DESIGN = Design(bands=len(BANDS), trials=432, margin=0.1, looks=planned("early", 432, 432, 0.1, ALPHA))
REPEATS = 0.74
"""The share of the difficulty that repeats: 10% of pairs differ at a rate of 0.9, 20% at 0.7."""
OF_QUESTION = 0.4
"""The share of what repeats that a question has with its section and without it."""
RATES = {0.9: "10%", 0.7: "20%"}
"""The rates, and how many pairs differ; half of the wrong answers with the section are needless refusals."""
DROPS = 0.1, 0.15


def draw(rate: float, falls: str | None, drop: float, random: np.random.Generator) -> NDArray[np.bool_]:
    """Return the answers of two runs, by band and trial. drop: what the second has lost of a band, or of all."""
    trials = DESIGN.trials
    repeated = {band: random.standard_normal(trials) for band in BANDS}
    question = random.standard_normal(trials)
    for band in (ABSENT, PRESENT):
        repeated[band] = np.sqrt(OF_QUESTION) * question + np.sqrt(1 - OF_QUESTION) * repeated[band]
    sides = []
    for lost in (0.0, drop):
        hard = {
            band: np.sqrt(REPEATS) * repeated[band] + np.sqrt(1 - REPEATS) * random.standard_normal(trials)
            for band in BANDS
        }
        hard[ANSWERS] = hard[PRESENT]
        rates = {band: rate - lost * (falls in (band, None)) for band in BANDS}
        rates[ANSWERS] += (1 - rate) / 2
        rates[PRESENT] = min(rates[PRESENT], rates[ANSWERS])
        sides.append([hard[band] < quantile(rates[band]) for band in BANDS])
    return np.array(sides)


def simulate(rate: float, falls: str | None, drop: float, gates: int) -> Counted:
    random = np.random.default_rng(1)
    before, after = np.stack([draw(rate, falls, drop, random) for _ in range(gates)], axis=1).astype(np.int8)
    return judged(tallied_up(before, after, 1, DESIGN.looks), DESIGN, Rule())


def unchanged(gates: int) -> str:
    rows = []
    for rate, differ in RATES.items():
        counted = simulate(rate, None, 0.0, gates)
        cells = share(counted.passed, gates), share(counted.found, gates), f"{counted.price:.0%}"
        rows.append([rate, differ, *cells])
    return table(["rate", "pairs that differ", "passes", "false alarms", "trials asked"], rows)


def dropped(gates: int) -> str:
    rows = []
    for rate in RATES:
        for falls, drop in [*((band, drop) for band in BANDS for drop in DROPS), (None, 0.05)]:
            counted = simulate(rate, falls, drop, gates)
            cells = share(counted.found, gates), share(counted.passed, gates)
            rows.append([rate, falls or "all bands", f"{100 * drop:g} points", *cells])
    return table(["rate", "what falls", "by", "found", "passes"], rows)


def run(gates: int) -> Iterator[str]:
    yield (
        f"# What `gate-truth` finds\n\nWritten by `python -m benchmarks.gate.truth`, {gates:,} gates a line; brackets "
        f"are Wilson's 95%. {DESIGN.trials} trials a band, a margin of {DESIGN.margin:g}, in looks."
    )
    yield "## Nothing has changed\n\n" + unchanged(gates)
    yield "## A drop\n\n" + dropped(gates)


if __name__ == "__main__":
    command("truth", __doc__, run, RESULTS)
