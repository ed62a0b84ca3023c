"""Rates, p-values and Holm's correction, held against statsmodels and scipy."""

import math
from statistics import NormalDist

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from longctx.stats.rates import Z95, Rate, below, holm, pooled, students, wilson


@st.composite
def counts(draw: st.DrawFn, most: int) -> tuple[int, int]:
    """Return a number of correct answers and a number of trials."""
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


@given(counts(10**6))
@example((0, 1))
@example((1, 1))
@example((0, 50))
@example((50, 50))
def test_wilson_is_that_of_statsmodels(count: tuple[int, int]) -> None:
    assert wilson(*count) == pytest.approx(proportion_confint(*count, method="wilson"), abs=1e-12)


@given(counts(10**6))
def test_an_interval_holds_its_rate(count: tuple[int, int]) -> None:
    correct, n = count
    lo, hi = wilson(correct, n)
    assert 0 <= lo <= correct / n + 1e-12
    assert correct / n - 1e-12 <= hi <= 1


def test_an_interval_of_no_trials_is_all_there_is() -> None:
    assert wilson(0, 0) == (0, 1)


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (Rate(0, 50), "0.00 [0.00, 0.07] n=50"),
        (Rate(50, 50), "1.00 [0.93, 1.00] n=50"),
        (Rate(3, 10), "0.30 [0.11, 0.60] n=10"),
        (Rate(0, 0), "not measured"),
    ],
)
def test_a_rate_never_stands_without_its_n(rate: Rate, text: str) -> None:
    assert str(rate) == text


def test_a_rate_without_trials_is_no_number() -> None:
    none = Rate(0, 0)
    assert math.isnan(none.rate)
    assert (none.lo, none.hi) == (0, 1)


def test_a_rate_has_its_interval() -> None:
    rate = Rate(3, 10)
    assert (rate.rate, (rate.lo, rate.hi)) == (0.3, wilson(3, 10))


@given(counts(500), st.floats(0.001, 1))
@example((0, 50), 0.9)
@example((50, 50), 0.9)
@example((49, 50), 1.0)
@example((50, 50), 1.0)
def test_below_is_the_exact_test_of_scipy(count: tuple[int, int], minimum: float) -> None:
    exact = binomtest(*count, minimum, alternative="less").pvalue
    assert below(*count, minimum) == pytest.approx(exact, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("correct", "n", "minimum"), [(0, 0, 0.9), (0, 10, 0), (10, 10, 0)])
def test_nothing_is_below_without_trials_or_a_minimum(correct: int, n: int, minimum: float) -> None:
    assert below(correct, n, minimum) == 1


def test_below_holds_for_many_trials() -> None:
    assert below(1000, 1100, 0.9) == pytest.approx(binomtest(1000, 1100, 0.9, alternative="less").pvalue)


# multipletests collects garbage on every call: 0.1 s.
@settings(max_examples=10)
@given(st.lists(st.floats(0, 1) | st.floats(0, 0.05), min_size=1), st.sampled_from([0.01, 0.05, 0.2]))
@example([0.05, 0.05], 0.05)
@example([0.025, 0.05], 0.05)
@example([0.01, 0.04, 0.03, 0.005], 0.05)
def test_holm_is_that_of_statsmodels(p_values: list[float], alpha: float) -> None:
    assert holm(p_values, alpha) == multipletests(p_values, alpha, method="holm")[0].tolist()


def test_holm_of_nothing_rejects_nothing() -> None:
    assert holm([]) == []


def test_pooled_rates_are_those_of_all_trials() -> None:
    assert pooled([Rate(1, 2), Rate(3, 4), Rate(0, 1)]) == Rate(4, 7)
    assert pooled([]) == Rate(0, 0)


def test_json_has_no_rate_of_no_trials() -> None:
    assert Rate(0, 0).as_data == {"correct": 0, "n": 0, "rate": None, "lo": 0.0, "hi": 1.0}
    assert Rate(1, 2).as_data["rate"] == 0.5


def test_independent_answers_have_the_interval_of_their_number() -> None:
    rate = Rate.of((trial, trial, int(trial < 37)) for trial in range(50))
    assert (rate, rate.lo, rate.hi) == (Rate(37, 50), *wilson(37, 50))


def test_repeats_count_as_one_trial() -> None:
    rate = Rate.of((trial, trial, int(trial < 40)) for trial in range(50) for _ in range(10))
    assert (rate.lo, rate.hi) == pytest.approx(wilson(40, 50), abs=0.01)
    assert Rate(400, 500).p_below(0.85) < 0.01 < 0.2 < rate.p_below(0.85)


def test_the_trials_of_a_single_cluster_are_independent_but_for_repeats() -> None:
    assert Rate.of(("a", trial, int(trial < 5)) for trial in range(10)).effect == 1
    assert Rate.of(("a", trial, int(trial < 5)) for trial in range(10) for _ in range(4)).effect == pytest.approx(
        4, rel=0.15
    )


def test_rates_that_share_clusters_are_pooled_by_cluster() -> None:
    variants = [Rate.of((place, (variant, place), int(place < 40)) for place in range(50)) for variant in "abcd"]
    assert [rate.effect for rate in variants] == [1] * 4
    assert pooled(variants).effective == pytest.approx(50, rel=0.05)


def test_partial_credit_is_a_mean() -> None:
    assert str(Rate.of((trial, trial, 0.98) for trial in range(20))) == "0.98 [0.81, 1.00] n=20"


@pytest.mark.parametrize("freedom", [*range(1, 45), 100, 1000])
@pytest.mark.parametrize("level", [0.05, 0.025, 0.005])
def test_students_quantile(freedom: int, level: float) -> None:
    expected = stats.t.isf(level, freedom)
    assert students(NormalDist().inv_cdf(1 - level), freedom) == pytest.approx(expected, rel=1e-4)


def test_few_clusters_have_the_interval_of_their_number() -> None:
    """10 sections of 30 questions, each right in 27 on average: Student's quantile of 9 degrees of freedom."""
    right = [30, 30, 30, 30, 30, 30, 30, 24, 20, 16]
    rate = Rate.of((place, (place, each), int(each < of)) for place, of in enumerate(right) for each in range(30))
    assert (rate.clusters, rate.effect > 2) == (10, True)
    assert (rate.lo, rate.hi) == wilson(rate.correct / rate.effect, rate.effective, students(Z95, 9))
    assert rate.lo < wilson(rate.correct / rate.effect, rate.effective)[0] - 0.01
    assert Rate.of((trial, trial, 1) for trial in range(20)).clusters == 0
