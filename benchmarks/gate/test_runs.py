"""The simulation of looks and of several runs draws what it says, and has the gate's own test, bound and verdict."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.gate.runs import PARTS, Case, Design, Rule, counted, drawn, exact, rates, scores
from longctx.gate.bands import Band, BandLooks, LookEvidence, Tallied, judge_run
from longctx.stats.averaged import Averaged
from longctx.stats.clustered import ByCluster
from longctx.stats.group_sequential import planned


def answers(counts: np.ndarray, runs: int) -> list[tuple[tuple[bool, ...], tuple[bool]]]:
    """Return trials with so many right answers before (the row) and after (the column)."""
    return [
        ((True,) * before + (False,) * (runs - before), (bool(after),))
        for (before, after), number in np.ndenumerate(counts)
        for _ in range(number)
    ]


@pytest.mark.parametrize(("rate", "discordance"), [(0.9, 0.1), (0.5, 0.02)])
def test_pairs_change_as_often_as_said(rate: float, discordance: float) -> None:
    random = np.random.default_rng(0)
    chances = rates(100, 1, 2000, rate, discordance, random)
    first, second = (random.random(chances.shape) < chances for _ in range(2))
    assert first.mean() == pytest.approx(rate, abs=0.003)
    assert (first != second).mean() == pytest.approx(discordance, abs=0.003)


@pytest.mark.parametrize("runs", [1, 3])
def test_its_test_and_its_bound_are_the_gates(runs: int) -> None:
    counts = np.random.RandomState(runs).randint(1, 30, (runs + 1, 2))
    averaged = Averaged([[trial] for trial in answers(counts, runs)])
    changes = np.zeros((1, 2 * runs + 1))
    right = np.zeros(runs, int)
    observed = 0
    for (before, after), number in np.ndenumerate(counts):
        changes[0, after * runs - before + runs] += number
        if 0 < before + after <= runs:
            right[before + after - 1] += number
            observed += number * after
    assert exact(right, observed) == pytest.approx(averaged.drop_p_value())
    bound = averaged.drop_bound(0.05)
    assert scores(changes, bound)[0] == pytest.approx(1.6449, abs=1e-3)


@pytest.mark.parametrize("runs", [1, 2])
def test_its_gates_are_the_gate(runs: int) -> None:
    design = Design(bands=3, trials=100, margin=0.1, looks=planned("equal", 100, 100, 0.1, 0.05))
    for seed, drops in enumerate([(), (0.03, 0.03, 0.03), (0.25,), (0.08, 0.08, 0.08)]):
        case = Case(design, 0.9, 0.1, runs, drops)
        of = drawn(case, 1, seed)
        bands = {}
        for band in range(3):
            looks = []
            for look in range(5):
                counts = np.zeros((runs + 1, 2), int)
                for change, number in enumerate(of.counts[0, band, look].astype(int), start=-runs):
                    counts[(-change, 0) if change <= 0 else (runs - change, 1)] += number
                trials = answers(counts, runs)
                alone = ByCluster([*range(len(trials))], [*trials])
                looks.append(LookEvidence(alone.averaged, alone.averaged, answers=Tallied(alone, alone)))
            bands[Band(str(band), "all")] = BandLooks(design.looks, looks)
        given, of_run = judge_run(bands, design.margin, 0.05)
        assert of_run is not None
        result = counted(case, Rule(), 1, seed)
        lost = any(band.verdict == "regression" for band, _ in given) or of_run[0].verdict == "regression"
        assert (result.found, result.price) == (lost, pytest.approx(of_run[0].n / 300))
        assert result.passed == (not lost and all(band.verdict == "pass" for band, _ in given))


def test_every_part_gives_a_table() -> None:
    for _, part in PARTS[2:]:
        lines = part(1).splitlines()
        assert all(one.count("|") == other.count("|") for one, other in pairwise(lines))
