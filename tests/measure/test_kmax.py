"""The effective window: k_max by the 20% rule, and the two bounds."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.measure.kmax import EffectiveWindow, effective_window
from longctx.measure.rates import Rate


def window(*correct: int | None, n: int = 10) -> EffectiveWindow:
    """Of k = 100, 200, ... with so many correct of n trials; None where nothing was measured."""
    rates = {100 * place: Rate(one or 0, 0 if one is None else n) for place, one in enumerate(correct, start=1)}
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
    rates = [(place, Rate(one or 0, 0 if one is None else 10)) for place, one in enumerate(correct, start=1)]
    expected = effective_window(dict(rates))
    random.shuffle(rates)
    assert effective_window(dict(rates)) == expected


@given(st.lists(st.integers(0, 10), min_size=1, max_size=32))
def test_what_always_succeeds_lies_within_k_max_and_before_what_never_does(correct: list[int]) -> None:
    found = window(*correct)
    if found.at_least is not None:
        assert found.k_max is not None
        assert found.at_least <= found.k_max
    if found.k_max is not None and found.less_than is not None:
        assert found.k_max < found.less_than
