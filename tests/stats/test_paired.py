"""Tango's interval for a paired difference."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from longctx.stats.paired import Paired, tango
from longctx.stats.rates import Z95


def pairs() -> st.SearchStrategy[tuple[int, int, int]]:
    return st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 60)).map(
        lambda drawn: (drawn[0], drawn[1], drawn[0] + drawn[1] + drawn[2])
    )


def score_by_search(gained: int, lost: int, n: int, delta: float) -> float:
    """Return the score statistic at `delta`, its restricted maximum likelihood from a search, not in closed form."""

    def unlikely(p_lost: float) -> float:
        p_gained = p_lost + delta
        terms = ((gained, p_gained), (lost, p_lost), (n - gained - lost, 1 - p_gained - p_lost))
        return -sum(count * math.log(max(p, 1e-300)) for count, p in terms if count)

    bounds = (max(0.0, -delta), (1 - delta) / 2)
    p_lost = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-10}).x
    return (gained - lost - n * delta) / math.sqrt(n * (2 * p_lost + delta * (1 - delta)))


@pytest.mark.parametrize(("gained", "lost", "n"), [(12, 2, 44), (9, 14, 50), (1, 1, 30), (30, 3, 60)])
def test_the_score_at_both_ends_is_the_quantile(gained: int, lost: int, n: int) -> None:
    lo, hi = tango(gained, lost, n)
    assert score_by_search(gained, lost, n, lo) == pytest.approx(Z95, abs=1e-4)
    assert score_by_search(gained, lost, n, hi) == pytest.approx(-Z95, abs=1e-4)


@given(pairs())
def test_the_interval_holds_the_difference_and_mirrors(drawn: tuple[int, int, int]) -> None:
    gained, lost, n = drawn
    lo, hi = tango(gained, lost, n)
    assert -1 <= lo <= Paired(gained, lost, n).difference <= hi <= 1
    mirrored = tango(lost, gained, n)
    assert mirrored == pytest.approx((-hi, -lo), abs=1e-9)


@given(st.integers(1, 500))
def test_without_discordant_pairs_the_interval_has_a_width_that_shrinks(n: int) -> None:
    lo, hi = tango(0, 0, n)
    z2 = Z95**2
    assert (lo, hi) == pytest.approx((-z2 / (n + z2), z2 / (n + z2)), abs=1e-6)


def test_without_pairs_nothing_is_known() -> None:
    assert tango(0, 0, 0) == (-1.0, 1.0)
    assert math.isnan(Paired(0, 0, 0).difference)
    assert str(Paired(0, 0, 0)) == "not measured"
