"""The weights of trials that flipped keep the estimate unbiased."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.flipped import ASKED, TRIALS, variances, weighted, worth


def test_a_group_that_is_asked_more_often_counts_by_its_size() -> None:
    random = np.random.default_rng(0)
    flipped = random.random((4000, TRIALS)) < 0.1
    changes = np.where(flipped, -0.5, 0.0) + random.normal(0, 0.1, flipped.shape)
    estimate = weighted(changes, flipped, np.minimum(2 * ASKED // 10, flipped.sum(axis=1)))
    assert estimate.mean() == pytest.approx(changes.mean(), abs=0.001)


def test_as_many_as_by_chance_are_worth_as_many() -> None:
    by_chance, in_proportion, *_ = variances(0.9, 0.1, 3, entire=None, gates=4000)
    assert in_proportion == pytest.approx(by_chance, rel=0.06)


def test_it_gives_a_table() -> None:
    assert worth(2).count("\n") == 37
