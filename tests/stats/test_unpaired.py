"""Runs that share no trials: normal approximations agree with an exact enumeration or a simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, fisher_exact, norm

from longctx.stats import unpaired
from longctx.stats.search import MOST_TRIALS
from longctx.stats.unpaired import Unpaired


def exact_power(n: int, rate: float, drop: float, alpha: float) -> float:
    """Return the power of the pooled two-proportion z-test, over all outcomes of both runs."""
    hits = np.arange(n + 1)
    before, after = np.meshgrid(hits, hits, indexing="ij")
    pooled = (before + after) / (2 * n)
    spread = np.sqrt(2 * pooled * (1 - pooled) / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        shown = (before - after) / n / spread >= norm.ppf(1 - alpha)
    chance = np.outer(binom.pmf(hits, n, rate), binom.pmf(hits, n, rate - drop))
    return float(chance[shown].sum())


@pytest.mark.parametrize(("rate", "drop"), [(0.9, 0.1), (0.5, 0.1), (0.7, 0.05), (0.98, 0.1), (0.2, 0.1)])
@pytest.mark.parametrize("alpha", [0.05, 0.005])
@pytest.mark.parametrize("n", [100, 400])
def test_power_is_near_the_exact_one(rate: float, drop: float, alpha: float, n: int) -> None:
    near = 0.07 if rate > 0.95 else 0.04
    assert unpaired.power(n, rate, drop, alpha) == pytest.approx(exact_power(n, rate, drop, alpha), abs=near)


@given(st.floats(0.1, 0.95), st.floats(0.02, 0.1), st.sampled_from([0.05, 0.004]), st.sampled_from([0.5, 0.8, 0.9]))
def test_trials_drops_and_power_agree(rate: float, drop: float, alpha: float, wanted: float) -> None:
    n = unpaired.trials_for_drop(drop, rate, alpha, wanted)
    assert n is not None
    assert unpaired.power(n, rate, drop, alpha) >= wanted - 1e-9
    assert unpaired.power(n - 1, rate, drop, alpha) < wanted + 1e-9
    assert unpaired.smallest_drop(n, rate, alpha, wanted) == pytest.approx(drop, abs=0.002)


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.98, 0.2])
def test_trials_to_pass_do_in_nine_of_ten_runs(rate: float) -> None:
    """The bound is Farrington and Manning's; the likeliest rates a margin apart are searched on a fine grid."""
    margin = 0.1
    n = unpaired.trials_to_pass(rate, margin, 0.05, 0.9)
    assert n is not None
    drawn = np.random.RandomState(0).binomial(n, rate, size=(600, 2))
    grid = np.linspace(margin, 1, 500)[1:-1]
    before, after = drawn[:, :1], drawn[:, 1:]
    likelihood = before * np.log(grid) + (n - before) * np.log1p(-grid)
    likelihood = likelihood + after * np.log(grid - margin) + (n - after) * np.log1p(margin - grid)
    first = grid[likelihood.argmax(axis=1)]
    spread = np.sqrt((first * (1 - first) + (first - margin) * (1 - first + margin)) / n)
    passed = ((after - before)[:, 0] / n + margin) / spread > norm.ppf(0.95)
    assert passed.mean() == pytest.approx(0.9, abs=0.05)


def test_where_no_drop_shows_there_is_none() -> None:
    assert unpaired.smallest_drop(5, 0.5, 0.001, 0.9) is None
    assert unpaired.smallest_drop(200, 0.06, 0.005, 0.9) is None


def test_more_than_a_million_is_no_number() -> None:
    assert unpaired.trials_for_drop(0.001, 0.5, 0.05, 0.9) is None
    assert unpaired.trials_to_pass(0.5, 0.001, 0.05, 0.9) is None
    assert unpaired.trials_for_drop(0.01, 0.5, 0.05, 0.9) in range(1, MOST_TRIALS)


def test_discordance_of_independent_runs() -> None:
    assert unpaired.discordance(0.9) == pytest.approx(0.18)
    assert unpaired.discordance(0.5) == 0.5


def samples(first: tuple[int, int], second: tuple[int, int]) -> Unpaired:
    """Return two samples of independent trials: right answers, and wrong ones."""
    return Unpaired.of(*([[True]] * right + [[False]] * wrong for right, wrong in (first, second)))


trials = st.tuples(st.integers(0, 60), st.integers(0, 60)).filter(any)


@given(trials, trials)
def test_a_drop_is_tested_as_fisher_does(first: tuple[int, int], second: tuple[int, int]) -> None:
    expected = fisher_exact([second, first], alternative="less").pvalue
    assert samples(first, second).drop_p_value() == pytest.approx(expected, abs=1e-9)


def test_two_samples_that_share_no_item() -> None:
    two = samples((90, 10), (70, 30))
    assert str(two) == "-0.20 [-0.31, -0.09] n=100, 100 unpaired"
    assert two.drop_p_value() < 0.001
    assert 0.28 < two.drop_bound(0.05) < 0.30
    assert str(samples((3, 1), (0, 0))) == "not measured"
    assert samples((3, 1), (0, 0)).drop_p_value() == 1.0
    assert samples((3, 1), (0, 0)).drop_bound(0.05) == 1.0


def test_clusters_weaken_the_evidence() -> None:
    alone = samples((90, 10), (70, 30))
    alike = Unpaired.of([[True] * 10] * 9 + [[False] * 10], [[True] * 10] * 7 + [[False] * 10] * 3)
    assert alike.difference == pytest.approx(alone.difference)
    assert alike.drop_p_value() > 0.2 > alone.drop_p_value()
    assert alike.drop_bound(0.05) > alone.drop_bound(0.05)


def test_samples_have_the_larger_design_effect_of_both() -> None:
    together, apart = [[True] * 5, [False] * 5] * 10, [[True, False, True, False, True]] * 20
    for samples in (Unpaired.of(together, apart), Unpaired.of(apart, together)):
        assert samples.before.effect == samples.after.effect > 5
        assert samples.clusters == 20
    alone = Unpaired.of([[True]] * 30, [[False]] * 20)
    assert (alone.before.effect, alone.clusters) == (1.0, 20)
