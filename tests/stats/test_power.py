"""The power of the gate's tests agrees with the gate itself, over every outcome or by simulation."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial, norm

from longctx.stats.averaged import Averaged, sign_flip_p_value
from longctx.stats.bound import trials_to_settle
from longctx.stats.group_sequential import ONCE, planned
from longctx.stats.paired import Paired
from longctx.stats.pass_chance import pass_chance, pass_chance_in_clusters, share_until_pass, trials_to_pass
from longctx.stats.power import changes, power, smallest_drop, trials_for_drop

SHARES = st.floats(0, 1)


@functools.cache
def p_value(gained: int, lost: int) -> float:
    return sign_flip_p_value([1] * gained + [-1] * lost, mid=True)


@functools.cache
def bound(gained: int, lost: int, n: int, alpha: float) -> float:
    return Paired(gained, lost, n).drop_bound(alpha)


def summed(n: int, gained: float, lost: float, holds: Callable[[int, int], bool]) -> float:
    """Return the probability of the event, over all outcomes of n pairs."""
    law = multinomial(n, [gained, lost, max(0.0, 1 - gained - lost)])
    outcomes = ((g, ell) for g, ell in itertools.product(range(n + 1), repeat=2) if g + ell <= n)
    return float(sum(law.pmf([g, ell, n - g - ell]) for g, ell in outcomes if holds(g, ell)))


@given(SHARES, SHARES)
def test_changes_are_shares_that_differ_by_the_drop(discordance: float, drop: float) -> None:
    gained, lost = changes(discordance, drop)
    assert lost - gained == pytest.approx(drop)
    assert gained >= 0
    assert gained + lost <= 1 + 1e-12


@settings(max_examples=15)
@given(st.integers(1, 24), SHARES, SHARES, st.sampled_from([0.05, 0.0042, 0.3]))
def test_power_is_that_of_the_gates_test(n: int, discordance: float, drop: float, alpha: float) -> None:
    gained, lost = changes(discordance, drop)
    expected = summed(n, gained, lost, lambda g, ell: p_value(g, ell) <= alpha)
    assert power(n, discordance, drop, alpha) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=15)
@given(st.integers(1, 24), SHARES, st.floats(0.01, 0.6), st.sampled_from([0.05, 0.2]))
def test_a_pass_is_that_of_the_gates_bound(n: int, discordance: float, margin: float, alpha: float) -> None:
    each_way = discordance / 2
    expected = summed(n, each_way, each_way, lambda g, ell: bound(g, ell, n, alpha) < margin)
    assert pass_chance(n, discordance, margin, alpha) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("n", "discordance", "drop"), [(400, 0.1, 0.06), (200, 0.02, 0.03)])
def test_many_trials_are_simulated(n: int, discordance: float, drop: float) -> None:
    random = np.random.RandomState(0)
    gained, lost = changes(discordance, drop)
    drawn = random.multinomial(n, [gained, lost, 1 - gained - lost], size=600)
    shown = np.mean([p_value(int(g), int(ell)) <= 0.05 for g, ell, _ in drawn])
    assert power(n, discordance, drop, 0.05) == pytest.approx(shown, abs=0.05)
    drawn = random.multinomial(n, [discordance / 2, discordance / 2, 1 - discordance], size=600)
    passed = np.mean([bound(int(g), int(ell), n, 0.05) < 0.05 for g, ell, _ in drawn])
    assert pass_chance(n, discordance, 0.05, 0.05) == pytest.approx(passed, abs=0.05)


def test_trials_in_clusters_pass_as_often_as_the_gate_passes_them() -> None:
    """Half of each cluster's trials change as one and the others alone: the correlation of two trials is 0.25."""
    random = np.random.RandomState(0)
    size, clusters, discordance = 4, 150, 0.1
    chance = [discordance / 2, 1 - discordance, discordance / 2]
    shape = (400, clusters, size)
    alone, common = (random.choice([-1, 0, 1], p=chance, size=size) for size in (shape, (*shape[:2], 1)))
    drawn = np.where(random.random_sample(shape) < 0.5, common, alone)
    passed = np.mean([Averaged.of_changes(changes.tolist()).drop_bound() < 0.05 for changes in drawn])
    deff = 1 + (size - 1) * 0.25
    expected = pass_chance_in_clusters(clusters * size, clusters, discordance, deff, 0.05, 0.05)
    assert expected == pytest.approx(passed, abs=0.07)


@given(st.floats(0, 0.5), st.integers(40, 400), st.floats(0.005, 0.05))
def test_a_false_alarm_is_no_likelier_than_alpha(discordance: float, n: int, alpha: float) -> None:
    """Where up to half of the pairs change a mid-p-value keeps its level, but for 2% of it."""
    assert power(n, discordance, 0.0, alpha) <= 1.02 * alpha + 1e-9


@pytest.mark.parametrize(("drop", "discordance", "trials"), [(0.1, 0.1, 160), (0.1, 0.05, 114), (0.15, 0.05, 66)])
def test_no_trial_is_bought_for_an_exact_test(drop: float, discordance: float, trials: int) -> None:
    """The exact p-value, which the gate does not take, needs 177, 130 and 76."""
    assert trials_for_drop(drop, discordance, 0.05, 0.9) == trials


@settings(max_examples=10)
@given(st.floats(0.0, 0.4), st.floats(0.05, 0.3), st.sampled_from([0.8, 0.9]))
def test_the_trials_for_a_drop_show_it_and_one_less_does_not(discordance: float, drop: float, wanted: float) -> None:
    n = trials_for_drop(drop, discordance, 0.01, wanted)
    assert n is not None
    assert power(n, discordance, drop, 0.01) >= wanted > power(n - 1, discordance, drop, 0.01)


@settings(max_examples=10)
@given(st.floats(0.0, 0.4), st.floats(0.05, 0.3), st.sampled_from([0.8, 0.9]))
def test_the_trials_for_a_pass_pass_and_one_less_does_not(discordance: float, margin: float, wanted: float) -> None:
    n = trials_to_pass(discordance, margin, 0.05, wanted)
    assert n is not None
    assert pass_chance(n, discordance, margin, 0.05) >= wanted > pass_chance(n - 1, discordance, margin, 0.05)


@pytest.mark.parametrize("discordance", [0.0, 0.1, 0.3])
def test_what_the_gate_says_it_needs_is_near(discordance: float) -> None:
    trials = trials_to_pass(discordance, 0.05, 0.05, 0.9)
    assert trials == pytest.approx(trials_to_settle(discordance, 0.05), rel=0.03)


@pytest.mark.parametrize("discordance", [0.0, 0.1, 0.5])
def test_the_smallest_drop_shows(discordance: float) -> None:
    drop = smallest_drop(300, discordance, 0.01, 0.9)
    assert drop is not None
    assert power(300, discordance, drop, 0.01) >= 0.9 > power(300, discordance, drop - 2e-4, 0.01)
    assert smallest_drop(4, discordance, 0.01, 0.9) is None


@pytest.mark.parametrize("discordance", [0.05, 0.1, 0.3])
def test_it_is_near_the_usual_formula(discordance: float) -> None:
    """R. J. Connor, "Sample size for testing differences in proportions for the paired-sample design", 1987."""
    drop, alpha, wanted = 0.1, 0.05 / 12, 0.9
    both = sum(changes(discordance, drop))
    root = norm.ppf(1 - alpha) * both**0.5 + norm.ppf(wanted) * (both - drop**2) ** 0.5
    assert trials_for_drop(drop, discordance, alpha, wanted) == pytest.approx((root / drop) ** 2, rel=0.1)


def test_the_share_that_looks_ask_is_that_of_simulated_gates() -> None:
    """benchmarks/gate/RUNS.md: prices of bands alone."""
    for trials, discordance, price in ((432, 0.02, 0.35), (432, 0.05, 0.375), (432, 0.1, 0.45), (360, 0.1, 0.49)):
        assert share_until_pass(
            trials, discordance, 0.075, 0.05, planned("equal", trials, trials, 0.075, 0.05)
        ) == pytest.approx(price, abs=0.01)
    assert share_until_pass(30, 0.1, 0.075, 0.05, ONCE) == 1
