"""Search for the fewest trials, or the smallest drop, for which a condition holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.stats.search import MOST_TRIALS, bisect, fewest, least, root


@given(st.integers(1, MOST_TRIALS))
def test_the_fewest_are_found(number: int) -> None:
    assert fewest(lambda n: n >= number) == number


def test_where_the_most_are_too_few_there_is_none() -> None:
    assert fewest(lambda n: False) is None
    assert fewest(lambda n: n >= 101, most=100) is None
    assert fewest(lambda n: n >= 100, most=100) == 100


@given(st.integers(-1, 50), st.integers(1, 50), st.data())
def test_the_edge_is_found_between_what_does_not_and_what_does(low: int, steps: int, data: st.DataObject) -> None:
    edge = data.draw(st.integers(low + 1, low + steps))
    assert bisect(lambda n: n >= edge, low, low + steps) == edge


@given(st.floats(0.001, 0.5))
def test_the_least_is_found_from_above(edge: float) -> None:
    smallest = least(lambda drop: drop >= edge, 0.5)
    assert smallest is not None
    assert edge <= smallest == pytest.approx(edge, abs=1.1e-4)


def test_where_the_most_does_not_do_there_is_none() -> None:
    assert least(lambda drop: drop >= 0.6, 0.5) is None


@given(st.floats(-1, 1))
def test_a_root_is_found_to_the_last_digit(zero: float) -> None:
    assert root(lambda at: zero - at, -1, 1) == pytest.approx(zero, abs=1e-15)


def test_where_nothing_crosses_zero_the_nearer_end_is_the_root() -> None:
    assert root(lambda at: -1 - at, 0, 1) == 0
    assert root(lambda at: 2 - at, 0, 1) == 1
