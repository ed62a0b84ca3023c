"""The simulation of runs of one change has the gate's own bound, and asking again helps less if all answers count."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.memory import MARGIN, Kind, answers, chances, extensions, fresh, mixtures, reruns, rules_out
from longctx.stats.averaged import Averaged


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_its_bound_is_the_gates(runs: int) -> None:
    random = np.random.default_rng(runs)
    was, now = chances(Kind(0.8, 0.1, MARGIN / 2), 20, 100, random)
    before, after = answers(was, random), np.stack([answers(now, random) for _ in range(runs)])
    found = rules_out(after.mean(axis=0) - before, 0.05)
    for gate, ruled_out in enumerate(found):
        pairs = [[([was], list(answers))] for was, answers in zip(before[gate], after[:, gate].T, strict=True)]
        assert (Averaged(pairs).drop_bound(0.05) < MARGIN) == ruled_out


def test_runs_that_are_judged_together_pass_a_drop_less_often() -> None:
    kind, given = Kind(0.7, 0.1, MARGIN), (400, 5)
    alone, *together = (
        way(kind, *given, np.random.default_rng(0))[-1].mean() for way in (fresh, reruns, extensions, mixtures)
    )
    assert max(together) < alone / 1.5
