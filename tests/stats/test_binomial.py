"""Binomial probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from longctx.stats.binomial import Tail, binomial_pmf, tails

SHARES = st.just(0.0) | st.floats(1e-100, 1)
"""scipy overflows for smaller ones."""


@given(st.integers(0, 3000), SHARES)
def test_chances_are_the_binomial_ones_and_all_that_count(n: int, p: float) -> None:
    first, pmf = binomial_pmf(n, p)
    assert pmf == pytest.approx(binom.pmf(np.arange(first, first + len(pmf)), n, p), abs=1e-11)
    assert pmf.sum() == pytest.approx(1, abs=1e-10)


@given(st.integers(0, 500), SHARES, st.lists(st.integers(-1, 3), min_size=1, max_size=60), st.integers(0, 500))
def test_tails_are_those_of_sums_however_they_move(first: int, p: float, moves: list[int], start: int) -> None:
    wanted = [max(0, least) for least in np.cumsum([min(start, first), *moves])]
    expected = [binom.sf(least - 1, first + place, p) for place, least in enumerate(wanted)]
    assert tails(first, map(int, wanted), p) == pytest.approx(expected, abs=1e-10)


def test_a_tail_moves_back() -> None:
    tail = Tail(20, 5, 0.3)
    tail.move(15)
    tail.move(2)
    assert tail.value == pytest.approx(binom.sf(1, 20, 0.3))


def test_many_trials_are_no_burden() -> None:
    first, pmf = binomial_pmf(1_000_000, 0.1)
    assert len(pmf) < 10_000
    assert pmf.sum() == pytest.approx(1, abs=1e-6)
    assert first < 100_000
