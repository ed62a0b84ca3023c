"""The simulation of runs of one change has the gate's own bound, and asking again helps less if all answers count."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.memory import (
    LOOKS,
    MARGIN,
    TRIALS,
    Kind,
    answers,
    chances,
    extensions,
    follow,
    fresh,
    mixtures,
    reruns,
    rules_out,
    undecided,
)
from longctx.gate.bands import Band, BandLooks, LookEvidence, judge_in_looks
from longctx.gate.rules import ALPHA
from longctx.stats.averaged import Averaged


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_its_bound_is_the_gates(runs: int) -> None:
    random = np.random.default_rng(runs)
    was, now = chances(Kind(0.8, 0.1, MARGIN / 2), 20, 100, random)
    before, after = answers(was, random), np.stack([answers(now, random) for _ in range(runs)])
    found = rules_out(after.mean(axis=0) - before, 0.05)
    for gate, ruled_out in enumerate(found):
        pairs = [[((was,), tuple(answers))] for was, answers in zip(before[gate], after[:, gate].T, strict=True)]
        assert (Averaged(pairs).drop_bound(0.05) < MARGIN) == ruled_out


def test_runs_that_are_judged_together_pass_a_drop_less_often() -> None:
    kind, given = Kind(0.7, 0.1, MARGIN), (400, 5)
    alone, *together = (
        way(kind, *given, np.random.default_rng(0))[-1].mean() for way in (fresh, reruns, extensions, mixtures)
    )
    assert max(together) < alone / 1.5


def test_a_second_run_of_as_many_trials_as_the_first_advised_decides_and_passes_few_drops() -> None:
    same, fell = (follow(Kind(0.7, 0.2, drop), 100, np.random.default_rng(0)) for drop in (0.0, MARGIN))
    for found in (same, fell):
        assert found.passes + found.regressions > 0.8 * found.advised
    assert fell.passed < 0.08 * fell.gates


def test_the_gate_of_the_advice_takes_looks_as_the_gate_does() -> None:
    was, now = chances(Kind(0.7, 0.1, MARGIN / 2), 40, TRIALS, np.random.default_rng(5))
    before, after = answers(was, np.random.default_rng(1)), answers(now, np.random.default_rng(2))
    passed, open_ = undecided(before, after)
    for gate in range(40):
        change = (after - before)[gate].tolist()
        seen = [Averaged.of_changes([[each] for each in change[:end]]) for end in LOOKS.ends(TRIALS)]
        looks = BandLooks(LOOKS, [LookEvidence(each, each) for each in seen])
        [(judged, _)] = judge_in_looks({Band("lines", "all"): looks}, MARGIN, ALPHA)
        assert judged.verdict == ("pass" if passed[gate] else "inconclusive" if open_[gate] else "regression")
