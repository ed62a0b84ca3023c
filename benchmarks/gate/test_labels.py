"""A judge that treats the later model otherwise misleads the gate, and labels of the run's answers do not."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.labels import DROP, EQUAL, GENERATORS, TREATMENTS, counted, drawn


@pytest.mark.parametrize("name", GENERATORS)
def test_the_drop_and_the_judges_errors_are_as_said(name: str) -> None:
    random = np.random.default_rng(0)
    found = [drawn(name, 0.7, DROP, EQUAL, random) for _ in range(400)]
    human, said = (np.concatenate(side, axis=1) for side in zip(*found, strict=True))
    assert human.mean(axis=1) == pytest.approx([0.7, 0.6], abs=0.012)
    assert (~said[human]).mean() == pytest.approx(0.05, abs=0.006)
    assert said[~human].mean() == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("name", GENERATORS)
def test_labels_hold_where_grades_do_not(name: str, small: bool) -> None:
    gates, lenient, harsh = 30 if small else 200, TREATMENTS[3], TREATMENTS[4]
    fell, same = counted(name, 0.7, DROP, lenient, gates), counted(name, 0.9, 0.0, harsh, gates)
    assert fell.by_grades > 0.9 * gates
    assert fell.labelled < 0.15 * gates
    assert same.regressions > 0.2 * gates
    assert same.labelled > 0.9 * gates
