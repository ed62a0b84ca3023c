"""The simulation of looks draws what it says, and its gates are the gate."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.gate.looks import Design, judged, rates, run
from longctx.gate.bands import AtLook, Band, Looks, judge_in_looks


def test_pairs_change_as_often_as_said() -> None:
    random = np.random.default_rng(0)
    chances = rates(100, 1, 2000, 0.9, 0.1, random)
    first, second = (random.random(chances.shape) < chances for _ in range(2))
    assert first.mean() == pytest.approx(0.9, abs=0.003)
    assert (first != second).mean() == pytest.approx(0.1, abs=0.003)


def test_its_gates_are_the_gate() -> None:
    design = Design(bands=2, trials=200, margin=0.1, looks=5)
    random = np.random.default_rng(1)
    verdicts = set()
    for lost in (0.0, 0.05, 0.1, 0.25):
        before = random.random((1, 2, 200)) < 0.9
        after = np.where(random.random((1, 2, 200)) < 0.04, ~before, before)
        after[:, 0] &= random.random((1, 200)) > lost
        changes = after[0].astype(int) - before[0].astype(int)
        bands = {}
        for band in range(2):
            clusters = [[[int(change)] for change in changes[band, :end]] for end in (40, 80, 120, 160, 200)]
            bands[Band("family", str(band))] = Looks(5, [AtLook(each, each) for each in clusters])
        given = [verdict for verdict, _ in judge_in_looks(bands, design.margin, 0.05)]
        result = judged(design, before, after)
        verdicts |= {band.verdict for band in given}
        assert result.found == any(band.verdict == "regression" for band in given)
        assert result.passed == all(band.verdict == "pass" for band in given)
        assert result.price == pytest.approx(sum(band.n for band in given) / 400)
    assert verdicts >= {"pass", "regression"}


def test_every_part_gives_a_table() -> None:
    _, *parts = run(3)
    for part in parts:
        _, _, *lines = part.splitlines()
        assert all(one.count("|") == other.count("|") for one, other in pairwise(lines))
