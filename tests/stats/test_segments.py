"""Shifts of a level: how often a false one is found, and whether true ones are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom  # type: ignore[import-untyped]

from longctx.stats.segments import PointCount, Shift, shifts
from longctx.vocabulary.stream import frozen_stream

ALPHA = 0.05
SERIES = 150


def series(rates: list[float], n: int, number: int) -> list[PointCount]:
    return [(int(right), n) for right in frozen_stream("series", n, number, *rates).binomial(n, rates)]


def alarms(rates: list[float], n: int) -> float:
    """Return the share of series in which any shift is found."""
    return sum(bool(shifts(series(rates, n, number), ALPHA)) for number in range(SERIES)) / SERIES


@pytest.mark.parametrize(("rate", "n", "moments"), [(0.9, 60, 5), (0.5, 15, 8), (0.99, 200, 3)])
def test_a_level_that_stays_gives_few_false_alarms(rate: float, n: int, moments: int) -> None:
    """At most alpha, and the noise of so many series: three standard errors."""
    assert alarms([rate] * moments, n) <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / SERIES) ** 0.5


def test_the_same_trials_asked_each_time_give_fewer() -> None:
    """Each trial has its own probability, so the spread of difficulties is no noise."""
    alarms = 0
    for number in range(50):
        stream = frozen_stream("again", number)
        chances = stream.beta(1.8, 0.2, size=100)
        counts = [(int((stream.random_sample(100) < chances).sum()), 100) for _ in range(6)]
        alarms += bool(shifts(counts, ALPHA))
    assert alarms <= 1


def test_a_drop_of_ten_points_is_found_where_it_is() -> None:
    places = [[shift.at for shift in shifts(series([0.9] * 4 + [0.8] * 4, 150, number), ALPHA)] for number in range(50)]
    assert sum(len(place) == 1 for place in places) >= 45
    assert sum(place in ([3], [4], [5]) for place in places) >= 40


def test_shifts_are_in_the_order_of_the_series() -> None:
    counts = [(90, 100), (91, 100), (60, 100), (61, 100), (95, 100)]
    assert [shift.at for shift in shifts(counts, ALPHA)] == [2, 4]
    assert shifts(counts, ALPHA) == shifts(counts, ALPHA)


def test_with_two_moments_it_is_a_test_on_a_table_of_two_by_two() -> None:
    """Return the probability of an allocation that is at least as unlikely, over all allocations."""
    counts = [(45, 50), (36, 50)]
    [shift] = shifts(counts, ALPHA)
    first = np.arange(31, 51)
    as_far = first[np.abs(first - 40.5) >= 4.5]
    exact = hypergeom(100, 81, 50).pmf(as_far).sum()
    assert shift.p_value == pytest.approx(exact, abs=3 * (exact / 1000) ** 0.5)


@pytest.mark.parametrize("counts", [[], [(3, 5)], [(0, 9), (0, 9)], [(9, 9), (9, 9), (9, 9)], [(0, 1), (1, 1)]])
def test_where_nothing_can_be_seen_nothing_is_found(counts: list[PointCount]) -> None:
    assert shifts(counts, ALPHA) == []


def test_a_smaller_alpha_takes_more_draws() -> None:
    assert shifts([(200, 200), (100, 200)], 1e-4) == [Shift(1, pytest.approx(1 / 40001))]
