"""The simulated gates are unchanged where they say so, and their noise differs by place."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.places import FAULTS, GENERATORS, NOISE, drawn, gate, hit, named, third


@pytest.mark.parametrize("generator", GENERATORS)
def test_both_runs_are_alike_and_noise_differs_by_place(generator: int) -> None:
    rng = np.random.default_rng(3)
    sides = [drawn(generator, rng) for _ in range(200)]
    before, after = (np.array([side[place] for side in sides]) for place in (0, 1))
    assert before.mean() == pytest.approx(after.mean(), abs=0.01)
    differ = before != after
    thirds = np.array([third(trial) for trial in range(before.shape[1])])
    shares = {name: float(differ[:, thirds == name].mean()) for name in NOISE}
    assert sorted(shares, key=shares.__getitem__) == sorted(NOISE, key=NOISE.__getitem__)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_hits_a_part_unless_it_is_everywhere(fault: object) -> None:
    hits = sum(hit(fault, trial) for trial in range(300))  # type: ignore[arg-type]
    assert (hits == 300) == (not fault.kind)  # type: ignore[attr-defined]
    assert hits


def test_a_planted_fault_is_named() -> None:
    rng = np.random.default_rng(4)
    assert named(gate(1, rng, FAULTS[0]), FAULTS[0])
