"""The effective window: k_max by the 20% rule, and the two bounds."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.reports.passkey_report import (
    EffectiveWindow,
    effective_window,
    k_max_interval,
    p_value_of_reaching,
)
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
def test_a_k_without_measured_trials_ends_what_is_below_it(
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


def test_the_interval_of_k_max_where_everything_succeeds_or_fails() -> None:
    ks = range(100, 1100, 100)
    assert k_max_interval({k: Rate(10, 10) for k in ks}) == (1000, 1000)
    assert k_max_interval({k: Rate(0, 10) for k in ks}) == (0, 300), "40 failures in a row are needed"
    assert k_max_interval({k: Rate(0, 40) for k in ks}) == (0, 0)
    assert k_max_interval({k: Rate(1, 1) for k in (100, 200)}) == (0, 200)


def test_the_interval_holds_k_max_where_success_falls_off() -> None:
    by_k = {100 * k: Rate(10 if k < 6 else 3 if k < 8 else 0, 10) for k in range(1, 15)}
    assert k_max_interval(by_k) == (500, 1000)


def test_the_interval_widens_with_fewer_trials() -> None:
    def width(n: int) -> int:
        lo, hi = k_max_interval({100 * k: Rate(round(n * (1 - k / 11)), n) for k in range(1, 11)})
        return hi - lo

    assert width(5) > width(50)


@pytest.mark.parametrize(
    ("successes", "interval"),
    [
        ([10, 10, 10, 10, 0, 10, 10, 10, 10, 10], (400, 1000)),
        ([0, 0, 0, 0, 10, 10, 10, 10, 10, 10], (0, 300)),
        ([10, 10, 10, 0, 0, 0, 0, 10, 10, 10], (300, 600)),
    ],
    ids=["a dip that chance may explain", "nothing near", "U"],
)
def test_dips_are_neither_smoothed_out_nor_taken_for_certain(successes: list[int], interval: tuple[int, int]) -> None:
    by_k = {100 * place: Rate(correct, 10) for place, correct in enumerate(successes, start=1)}
    assert k_max_interval(by_k) == interval


def test_one_distance_with_many_trials_is_a_dip_for_certain() -> None:
    by_k = {100 * k: Rate(0 if k == 5 else 60, 60) for k in range(1, 11)}
    assert k_max_interval(by_k) == (400, 400)
    assert p_value_of_reaching(by_k, 400) == 1.0
    assert p_value_of_reaching(by_k, 500) < 0.001


def test_a_minimum_between_two_distances_is_reached_at_the_longer_one() -> None:
    by_k = {100: Rate(60, 60), 200: Rate(60, 60), 300: Rate(0, 60)}
    assert p_value_of_reaching(by_k, 150) == 1.0
    assert p_value_of_reaching(by_k, 201) < 0.001
    assert p_value_of_reaching(by_k, 9000) < 0.001
    assert p_value_of_reaching({}, 100) == 1.0


def test_a_k_without_trials_is_not_known() -> None:
    assert k_max_interval({100: Rate(0, 0), 200: Rate(10, 10)}) == (0, 200)


def test_without_any_k_there_is_nothing() -> None:
    assert k_max_interval({}) == (0, 0)


@given(st.dictionaries(st.integers(1, 9000), st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=8))
def test_the_interval_s_ends_are_places_of_the_grid(counts: dict[int, tuple[int, int]]) -> None:
    lo, hi = k_max_interval({k: Rate(min(pair), max(pair)) for k, pair in counts.items()})
    assert 0 <= lo <= hi
    assert {lo, hi} <= {0, *counts}
    assert lo <= (effective_window({k: Rate(min(pair), max(pair)) for k, pair in counts.items()}).k_max or 0) <= hi
