"""The sign-flip test of a drop."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from longctx.stats.signflip import drop_p_value


@given(st.integers(0, 60), st.integers(0, 60))
def test_without_clusters_it_is_mcnemars_exact_test(gained: int, lost: int) -> None:
    expected = binomtest(lost, gained + lost, 0.5, alternative="greater").pvalue if gained + lost else 1.0
    assert drop_p_value([1] * gained + [-1] * lost) == pytest.approx(expected)


@given(st.lists(st.integers(-5, 5), max_size=10))
def test_it_counts_all_signs(sums: list[int]) -> None:
    signs = list(itertools.product((1, -1), repeat=len(sums)))
    totals = [sum(sign * total for sign, total in zip(chosen, sums, strict=True)) for chosen in signs]
    expected = sum(total <= sum(sums) for total in totals) / len(totals)
    assert drop_p_value(sums) == pytest.approx(expected)


def test_nothing_that_changed_shows_nothing() -> None:
    assert drop_p_value([]) == drop_p_value([0, 0, 0]) == 1.0


def test_trials_that_fall_together_show_less_than_as_many_apart() -> None:
    assert drop_p_value([-8] * 3) == pytest.approx(1 / 8)
    assert drop_p_value([-1] * 24) < 1e-6


def test_many_trials_are_no_burden() -> None:
    assert drop_p_value([-1] * 1500 + [1] * 1300) < 0.001
