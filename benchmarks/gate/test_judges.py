"""The simulated judges err as often as they say, and what is corrected holds where what they show does not."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.judges import GENERATORS, Truth, simulated


@pytest.mark.parametrize("name", GENERATORS)
def test_a_judge_errs_as_often_as_said(name: str) -> None:
    truth = Truth(0.7, 0.1, 0.2, 0)
    human, said = GENERATORS[name](truth, 200_000, np.random.default_rng(0), 0.1)
    assert human.mean(axis=1) == pytest.approx([0.7, 0.6], abs=0.006)
    assert (~said[0][human[0]]).mean() == pytest.approx(0.1, abs=0.006)
    assert said[0][~human[0]].mean() == pytest.approx(0.2, abs=0.01)


def test_what_is_corrected_holds_more_often(small: bool) -> None:
    runs = 40 if small else 200
    found, *_ = simulated("documents", Truth(0.9, 0.1, 0.2, 100), runs)
    assert found.shown < 0.5 * runs
    assert found.corrected > 0.85 * runs
