"""Sums of changes against those of flipped signs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from longctx.stats.sign_flips import sums_of_changes


def test_the_p_value_is_that_of_all_flips() -> None:
    changes = np.array([[1.0], [1.0], [-1.0], [1.0], [1.0], [1.0], [1.0], [1.0]])
    [found] = sums_of_changes(changes, range(8), 0.05)
    flips = [sum(signs) for signs in itertools.product((-1, 1), repeat=8)]
    exact = sum(total >= 6 for total in flips) / len(flips)
    assert found.p_value == pytest.approx(exact, abs=0.005)
    assert found.size == pytest.approx(6 / 8**0.5)
    assert found.shown


def test_changes_of_a_cluster_flip_together() -> None:
    changes = np.ones((20, 1))
    apart, together = (sums_of_changes(changes, clusters, 0.05)[0] for clusters in (range(20), [0] * 20))
    assert apart.shown
    assert together.p_value == pytest.approx(0.5, abs=0.02)
    assert not together.shown


def test_many_sums_are_corrected_by_holm() -> None:
    changes = np.zeros((6, 20))
    changes[:, 0] = 1
    assert sums_of_changes(changes[:, :1], range(6), 0.05)[0].shown
    assert not any(found.shown for found in sums_of_changes(changes, range(6), 0.05))


def test_the_same_changes_have_the_same_p_values() -> None:
    changes = np.random.RandomState(1).normal(size=(50, 3))
    assert sums_of_changes(changes, range(50), 0.05) == sums_of_changes(changes, range(50), 0.05)
