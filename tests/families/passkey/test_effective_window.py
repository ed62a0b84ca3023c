"""The effective window: k_max by the 20% rule, and the two bounds."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from longctx.families.passkey.effective_window import EffectiveWindow, _non_increasing, effective_window, k_max_interval
from longctx.stats.rates import Rate


def window(*correct: int | None, n: int = 10) -> EffectiveWindow:
    """Return the effective window of k = 100, 200, …

    correct: how many of the n trials at each k are correct; None if none was measured.
    """
    rates = {100 * place: Rate(count or 0, 0 if count is None else n) for place, count in enumerate(correct, start=1)}
    return effective_window(rates)


@pytest.mark.parametrize(
    ("correct", "expected"),
    [
        ((10, 10, 10), EffectiveWindow(300, 300, None)),
        ((10, 9, 10), EffectiveWindow(300, 100, None)),
        ((10, 5, 2, 1, 0), EffectiveWindow(300, 100, 500)),
        ((10, 1, 10, 10), EffectiveWindow(100, 100, None)),
        ((10, 0, 10, 0), EffectiveWindow(100, 100, 200)),
        ((2, 2, 2), EffectiveWindow(300, None, None)),
        ((1, 10, 10), EffectiveWindow(None, None, None)),
        ((0, 0, 0), EffectiveWindow(None, None, 100)),
    ],
    ids=["all", "nearly all", "falling", "dip", "holes", "just 20%", "weak at the nearest", "nothing"],
)
def test_windows(correct: tuple[int, ...], expected: EffectiveWindow) -> None:
    assert window(*correct) == expected


@pytest.mark.parametrize(("correct", "n"), [(1, 5), (2, 10), (3, 15), (10, 50), (7, 35)])
def test_exactly_20_percent_is_enough(correct: int, n: int) -> None:
    assert window(correct, n=n).k_max == 100
    assert window(correct - 1, n=n).k_max is None


@pytest.mark.parametrize(
    ("correct", "expected"),
    [
        ((10, None, 10), EffectiveWindow(100, 100, None)),
        ((None, 10, 10), EffectiveWindow(None, None, None)),
        ((10, 10, None), EffectiveWindow(200, 200, None)),
        ((10, None, 0), EffectiveWindow(100, 100, 300)),
        ((None, None), EffectiveWindow(None, None, None)),
    ],
)
def test_a_k_without_measured_trials_ends_what_lies_below_it(
    correct: tuple[int | None, ...], expected: EffectiveWindow
) -> None:
    assert window(*correct) == expected


def test_nothing_measured_shows_nothing() -> None:
    assert effective_window({}) == EffectiveWindow(None, None, None)


@given(st.lists(st.none() | st.integers(0, 10), max_size=32), st.randoms(use_true_random=False))
def test_the_order_of_the_rates_does_not_matter(correct: list[int | None], random: Random) -> None:
    rates = [(place, Rate(count or 0, 0 if count is None else 10)) for place, count in enumerate(correct, start=1)]
    expected = effective_window(dict(rates))
    random.shuffle(rates)
    assert effective_window(dict(rates)) == expected


@given(st.lists(st.integers(0, 10), min_size=1, max_size=32))
def test_what_always_succeeds_lies_within_k_max_and_before_what_never_does(correct: list[int]) -> None:
    effective = window(*correct)
    if effective.at_least is not None:
        assert effective.k_max is not None
        assert effective.at_least <= effective.k_max
    if effective.k_max is not None and effective.less_than is not None:
        assert effective.k_max < effective.less_than


def test_the_interval_of_k_max_moves_where_everything_succeeds_or_fails() -> None:
    ks = range(100, 1100, 100)
    assert k_max_interval({k: Rate(10, 10) for k in ks}) == (1000, 1000)
    assert k_max_interval({k: Rate(0, 10) for k in ks}) == (0, 100)
    assert k_max_interval({k: Rate(1, 1) for k in (100, 200)})[0] < 200


def test_the_interval_holds_k_max_where_success_falls_off() -> None:
    by_k = {100 * k: Rate(10 if k < 6 else 3 if k < 8 else 0, 10) for k in range(1, 11)}
    lo, hi = k_max_interval(by_k)
    assert lo <= 700 <= hi
    assert hi - lo <= 500


def test_the_interval_widens_with_fewer_trials() -> None:
    def width(n: int) -> int:
        lo, hi = k_max_interval({100 * k: Rate(round(n * (1 - k / 11)), n) for k in range(1, 11)})
        return hi - lo

    assert width(5) > width(50)


def test_what_many_trials_show_is_not_overturned_by_one() -> None:
    """Where a success follows failures, the rates are pooled by their trials: 200 trials weigh more than one."""
    seldom = Rate(20, 200)
    assert k_max_interval({100: seldom, 200: Rate(1, 1)}) == (0, 0)
    assert k_max_interval({100: seldom, 200: Rate(200, 200)}) == (0, 200)
    assert k_max_interval({100: Rate(0, 1), 200: Rate(60, 200)})[1] == 200


def test_a_k_without_trials_is_drawn_from_what_is_known_beforehand() -> None:
    assert k_max_interval({100: Rate(0, 0), 200: Rate(10, 10)}) == (0, 200)


def test_a_dip_among_successes_ends_k_max_and_not_its_interval() -> None:
    by_k = {100 * k: Rate(0 if k == 5 else 10, 10) for k in range(1, 11)}
    assert effective_window(by_k).k_max == 400
    assert k_max_interval(by_k) == (400, 1000)


def test_without_any_k_there_is_nothing() -> None:
    assert k_max_interval({}) == (0, 0)


@given(st.dictionaries(st.integers(1, 9000), st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=8))
def test_the_interval_s_ends_are_places_of_the_grid(counts: dict[int, tuple[int, int]]) -> None:
    lo, hi = k_max_interval({k: Rate(min(pair), max(pair)) for k, pair in counts.items()})
    assert 0 <= lo <= hi
    assert {lo, hi} <= {0, *counts}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.data())
def test_a_sequence_is_made_non_increasing_as_isotonic_regression_does(rates: list[float], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 50), min_size=len(rates), max_size=len(rates)))
    [fitted] = _non_increasing(np.array([rates]), np.array(weights, dtype=float))
    expected = isotonic_regression(rates, weights=weights, increasing=False).x
    assert fitted == pytest.approx(expected, abs=1e-9)
