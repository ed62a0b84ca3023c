"""Shifts of a level on the same trials: how often a false one is found, and whether true ones are."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from longctx.stats.segments import Shift, shifts
from longctx.vocabulary.stream import frozen_stream

ALPHA = 0.05
SERIES = 100


def series(rates: list[float], n: int, number: int, repeats: float = 0.9) -> NDArray[np.bool_]:
    """Return which of n trials are right in each run; this share of a trial's difficulty is the same in all runs."""
    stream = frozen_stream("series", n, number, *rates)
    own, noise = stream.standard_normal((n, 1)), stream.standard_normal((n, len(rates)))
    right: NDArray[np.bool_] = repeats**0.5 * own + (1 - repeats) ** 0.5 * noise < list(
        map(NormalDist().inv_cdf, rates)
    )
    return right


def places(rates: list[float], n: int, number: int, repeats: float = 0.9) -> list[int]:
    return [shift.at for shift in shifts(series(rates, n, number, repeats), ALPHA)]


@pytest.mark.parametrize("repeats", [0.0, 0.9])
@pytest.mark.parametrize(("rate", "n", "runs"), [(0.9, 60, 5), (0.5, 30, 8), (0.98, 200, 3)])
def test_a_level_that_stays_gives_few_false_alarms(rate: float, n: int, runs: int, repeats: float) -> None:
    """About alpha at most, and the noise of so many series: three standard errors."""
    alarms = sum(bool(places([rate] * runs, n, number, repeats)) for number in range(SERIES))
    assert alarms / SERIES <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / SERIES) ** 0.5


def test_a_change_that_overturns_trials_and_stays_is_no_shift_of_the_level() -> None:
    """A prompt that loses 10% of the trials for ever and gains as many: every run after it has the same answers."""
    alarms = 0
    for number in range(SERIES):
        overturned = np.zeros((200, 6))
        signs = frozen_stream("overturned", number).randint(0, 2, 20)
        overturned[:20, 3:], overturned[:20, :3] = signs[:, None], 1 - signs[:, None]
        alarms += bool(shifts(overturned, ALPHA))
    assert alarms / SERIES <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / SERIES) ** 0.5


def test_three_points_are_found_after_one_run_where_answers_repeat() -> None:
    """Of 600 trials 20 are lost and 2 gained: pooled rates of 0.90 and 0.87 would show nothing."""
    trials = [[1, 0]] * 20 + [[0, 1]] * 2 + [[1, 1]] * 520 + [[0, 0]] * 58
    [shift] = shifts(trials, ALPHA)
    assert (shift.at, shift.p_value < 0.001) == (1, True)


def test_a_drop_of_ten_points_is_found_where_it_is() -> None:
    found = [places([0.9] * 4 + [0.8] * 4, 150, number) for number in range(50)]
    assert sum(len(place) == 1 for place in found) >= 40
    assert sum(4 in place for place in found) >= 35


def test_shifts_are_in_the_order_of_the_series() -> None:
    levels = [90, 91, 60, 61, 95]
    right = [[trial < level for level in levels] for trial in range(100)]
    assert [shift.at for shift in shifts(right, ALPHA)] == [2, 4]
    assert shifts(right, ALPHA) == shifts(right, ALPHA)


def test_with_two_runs_it_is_a_sign_test() -> None:
    """Nine lost and one gained: 22 of 1,024 orders are as far from even."""
    [shift] = shifts([[1, 0]] * 9 + [[0, 1]], ALPHA)
    assert shift.p_value == pytest.approx(22 / 1024, abs=3 * (22 / 1024 / 2000) ** 0.5)


@pytest.mark.parametrize("right", [[], [[3]], [[0, 0]], [[9, 9, 9]], [[0, 1]]])
def test_where_nothing_can_be_seen_nothing_is_found(right: ArrayLike) -> None:
    assert shifts(right, ALPHA) == []


def test_a_smaller_alpha_takes_more_draws() -> None:
    assert shifts([[1, 0]] * 100, 1e-4) == [Shift(1, pytest.approx(1 / 40001))]
