"""Questions that a model cannot answer even with the right section alone are "too hard" and left out: by whose run?"""

from __future__ import annotations

import numpy as np

from benchmarks.gate.draws import quantile
from benchmarks.gate.table import table
from longctx.stats.search import narrowed

DROP = 0.07
QUESTIONS, VARIANTS = 430, 24


def filters(gates: int, random: np.random.Generator) -> str:
    """Show a drop of 7 points on the questions of the first run's filter, by two ways of filtering.

    A question's difficulty is part of its control's and of its trials' (in these shares). The second run answers
    everything worse by the same step, the control included.
    """
    rows = []
    for question in (0.5, 0.7, 0.9):
        step = _step(question, min(40, gates))
        frozen, own, kept = _drops(step, question, gates, random)
        rows.append([question, f"{100 * frozen:.1f}", f"{100 * own:.1f}", f"{100 * kept:.1f}%"])
    head = ["share of the question", "frozen filter: points", "each its own: points", "questions that change sides"]
    return table(head, rows)


def _step(question: float, gates: int) -> float:
    """Return how much harder all questions must become for the frozen filter to show the drop."""

    def falls_short(step: float) -> bool:
        return _drops(step, question, gates, np.random.default_rng(1))[0] < DROP

    return narrowed(falls_short, 0.0, 2.0, halvings=20)[1]


def _drops(step: float, question: float, gates: int, random: np.random.Generator) -> tuple[float, float, float]:
    """Mean drop by the frozen filter, by each run's own, and the share of questions that only one of them keeps."""
    frozen, own, sides = [], [], []
    for _ in range(gates):
        hard = np.sqrt(question) * random.standard_normal(QUESTIONS)
        control = hard + np.sqrt(1 - question) * random.standard_normal(QUESTIONS)
        trials = hard[:, None] + np.sqrt(1 - question) * random.standard_normal((QUESTIONS, VARIANTS))
        easy, still_easy = control < quantile(0.6), control + step < quantile(0.6)
        before, after = trials < quantile(0.4), trials + step < quantile(0.4)
        frozen.append(before[easy].mean() - after[easy].mean())
        own.append(before[easy].mean() - after[still_easy].mean())
        sides.append((easy != still_easy).mean())
    return float(np.mean(frozen)), float(np.mean(own)), float(np.mean(sides))
