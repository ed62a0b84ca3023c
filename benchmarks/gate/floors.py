"""How often a gate passes against a baseline of a given rate, with the rule on baselines that have nothing to lose.

The run's answers are drawn by themselves: those of the same model again, or of one that only guesses.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.gate.table import share, table
from longctx.gate.bands import Verdict
from longctx.gate.verdict import Rules, give_verdict
from longctx.registry import shipped
from longctx.results.row import Row

ROW = Row(
    run="drawn",
    model="drawn",
    prompt_set="protocol",
    prompt_digest="",
    test="line_retrieval",
    cell="all",
    params={},
    seed=0,
    trial=0,
    item=None,
    repeat=0,
    outcome="wrong",
    band="all",
)
TRIALS, DIFFERS = 200, 0.02


def vacuous(gates: int, random: np.random.Generator) -> str:
    """Count verdicts with the margin of 5 points, where 2% of the answers of an unchanged model differ."""
    rows = []
    for test, rates in (("line_retrieval", (0.0, 0.02, 0.06, 0.1, 0.3, 0.9)), ("collage", (0.25, 0.3, 0.4, 0.9))):
        guessing = shipped()[test].guessing
        for rate in rates:
            before = random.random((gates, TRIALS)) < rate
            again = np.where(random.random((gates, TRIALS)) < DIFFERS, random.random((gates, TRIALS)) < rate, before)
            guesses = random.random((gates, TRIALS)) < guessing
            counts = [[_verdict(test, *gate) for gate in zip(before, after, strict=True)] for after in (again, guesses)]
            verdicts: list[tuple[int, Verdict]] = [(0, "invalid"), (0, "pass"), (1, "pass"), (1, "regression")]
            rows.append([guessing, rate, *(share(counts[which].count(verdict), gates) for which, verdict in verdicts)])
    head = ["guessing", "rate", "unchanged: invalid", "unchanged: pass"]
    return table([*head, "only guesses now: pass", "only guesses now: regression"], rows)


def _verdict(test: str, before: np.ndarray, after: np.ndarray) -> Verdict:
    return give_verdict(_rows(test, before), _rows(test, after), Rules()).verdict


def _rows(test: str, right: np.ndarray) -> list[Row]:
    return [
        replace(ROW, test=test, trial=trial, outcome="correct" if correct else "wrong")
        for trial, correct in enumerate(right.tolist())
    ]
