"""Intervals of a difference of rates, from the interval of each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from longctx.stats.mover import Sample, correlation, interval
from longctx.stats.rates import Z95, Rate

counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, counts)
def test_independent_samples_have_newcombes_interval(first: tuple[int, int], second: tuple[int, int]) -> None:
    ours = interval(Sample(Rate(*first)), Sample(Rate(*second)), Z95)
    theirs = confint_proportions_2indep(*first, *second, method="newcomb", compare="diff")
    assert ours == pytest.approx(theirs, abs=1e-9)


@given(counts, counts, st.floats(0.5, 1.0))
def test_a_correlation_narrows_the_interval(first: tuple[int, int], second: tuple[int, int], weight: float) -> None:
    a, b = Sample(Rate(*first)), Sample(Rate(*second))
    wide, narrow = (interval(a, b, Z95, weight, correlation) for correlation in (0.0, 0.5))
    assert wide[0] <= narrow[0] + 1e-12
    assert narrow[1] <= wide[1] + 1e-12


def test_the_correlation_of_outcomes_is_numpys_and_never_negative() -> None:
    pairs = [(True, True)] * 5 + [(True, False)] * 2 + [(False, False)] * 4 + [(False, True)]
    assert correlation(pairs) == pytest.approx(np.corrcoef(np.array(pairs).T.astype(float))[0, 1])
    assert correlation([(True, False), (False, True)]) == 0
    assert correlation([(True, True)]) == 0
    assert correlation([]) == 0


def test_clusters_count_as_fewer_trials() -> None:
    alike = [[True] * 4] * 5 + [[False] * 4] * 5
    single = [[value] for cluster in alike for value in cluster]
    assert Sample.of(alike).n < Sample.of(single).n == 40
    assert Sample.of([]).rate.n == 0


def test_nothing_is_known_without_trials() -> None:
    assert interval(Sample(Rate(0, 0)), Sample(Rate(3, 3)), Z95, 0.85) == (-0.85, 1.0)


@pytest.mark.parametrize(("rate", "share"), [(0.95, 0.85), (0.6, 0.85)])
def test_a_share_that_is_just_reached_is_shown_in_a_twentieth_of_samples(rate: float, share: float) -> None:
    """Paired outcomes with a correlation: the one-sided 95% bound of a - share b exceeds 0 in about 5%."""
    random, n, wrong = np.random.RandomState(0), 100, 0

    def ease(items: int) -> np.ndarray:
        return random.random_sample((items, 1)) * 0.3 + random.random_sample((items, 2)) * 0.7

    limits = np.quantile(ease(20_000)[:, 0], [rate, rate * share])
    for _ in range(1000):
        right = ease(n) < limits
        first, second = (Sample(Rate(int(right[:, side].sum()), n)) for side in (0, 1))
        pairs = [(bool(a), bool(b)) for a, b in right]
        wrong += interval(second, first, 1.6448536, share, correlation(pairs))[0] > 0
    assert 0.02 < wrong / 1000 < 0.075
