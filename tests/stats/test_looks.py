"""The boundaries of planned looks, against published constants and simulated paths."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from longctx.stats.looks import SHAPE, level_of_look, planned, repeated_p_value

LOOKS = range(1, 6)


def test_the_boundary_is_that_of_wang_and_tsiatis() -> None:
    """Jennison and Turnbull, "Group Sequential Methods" (2000), table 2.9: two-sided 5%, a parameter of 0.25."""
    for looks, published in ((2, 2.038), (3, 2.083), (4, 2.113), (5, 2.136)):
        last = NormalDist().inv_cdf(1 - level_of_look(0.025, looks, looks))
        assert last == pytest.approx(published, abs=0.002)


@pytest.mark.parametrize("alpha", [0.05, 0.025, 0.05 / 7])
def test_all_looks_together_keep_the_level(alpha: float) -> None:
    draws = np.random.RandomState(7).standard_normal((400_000, 5)).cumsum(axis=1) / np.sqrt(LOOKS)
    boundaries = [NormalDist().inv_cdf(1 - level_of_look(alpha, look, 5)) for look in LOOKS]
    crossed = (draws > boundaries).any(axis=1).mean()
    assert crossed == pytest.approx(alpha, abs=4 * (alpha / 400_000) ** 0.5)


def test_one_look_is_the_test_itself() -> None:
    assert (level_of_look(0.05, 1, 1), repeated_p_value(0.3, 1, 1)) == (0.05, 0.3)


def test_a_repeated_p_value_is_the_level_at_which_its_look_is_crossed() -> None:
    for look in LOOKS:
        for alpha in (0.1, 0.05, 0.001):
            assert repeated_p_value(level_of_look(alpha, look, 5), look, 5) == pytest.approx(alpha, rel=0.01)
    assert repeated_p_value(0.7, 3, 5) == 1


def test_early_looks_are_harder() -> None:
    levels = [level_of_look(0.05, look, 5) for look in LOOKS]
    assert levels == sorted(levels)
    assert levels[-1] < 0.05
    assert SHAPE == 0.25


def test_few_trials_are_looked_at_less_often() -> None:
    assert [planned(units) for units in (0, 39, 40, 84, 100, 5000)] == [1, 1, 2, 4, 5, 5]
    assert planned(5000, most=1) == 1
