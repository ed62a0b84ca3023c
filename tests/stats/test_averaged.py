"""The mean of several answers: its test and its bound."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from longctx.stats import averaged
from longctx.stats.averaged import AnswerPair, Averaged, difference, score, sign_flip_p_value
from longctx.stats.paired import Paired
from longctx.stats.paired import score as tangos_score
from longctx.stats.search import root


def trials(*counts: tuple[int, int, int], runs: int) -> Averaged:
    """Return independent trials: of so many right answers before, right or wrong after, so many trials."""
    answers: list[list[AnswerPair]] = []
    for right, after, number in counts:
        answers += [[((True,) * right + (False,) * (runs - right), (bool(after),))] for _ in range(number)]
    return Averaged(answers)


@pytest.mark.parametrize(("gained", "lost", "n"), [(3, 9, 50), (0, 4, 40), (0, 0, 30), (7, 2, 12)])
def test_with_one_run_the_test_and_the_bound_are_those_of_pairs(gained: int, lost: int, n: int) -> None:
    one = trials((0, 1, gained), (1, 0, lost), (1, 1, n - gained - lost), runs=1)
    assert one.drop_p_value() == pytest.approx(sign_flip_p_value([1] * gained + [-1] * lost))
    assert one.drop_bound() == Paired(gained, lost, n).drop_bound()
    assert difference(one.answers) == Paired(gained, lost, n)
    weights = {1.0: gained, -1.0: lost, 0.0: n - gained - lost}
    delta = (gained - lost) / n - 0.1
    known = {change: float(weight) for change, weight in weights.items() if weight}
    assert score(known, delta) == pytest.approx(tangos_score(gained, lost, n, delta))


def test_the_test_counts_all_ways_to_choose_the_later_runs() -> None:
    """Two clusters of two trials, three runs before and two after, by enumeration."""
    before = [[(1, 1, 0), (1, 0, 1)], [(0, 1, 1), (1, 1, 1)]]
    after = [[(0, 0), (1, 0)], [(0, 1), (0, 0)]]
    clusters = [
        [(tuple(map(bool, b)), tuple(map(bool, a))) for b, a in zip(*of_cluster, strict=True)]
        for of_cluster in zip(before, after, strict=True)
    ]
    totals = [
        [sum(run) for run in zip(*(b + a for b, a in zip(*both, strict=True)), strict=True)]
        for both in zip(before, after, strict=True)
    ]
    observed = sum(sum(of_cluster[3:]) for of_cluster in totals)
    choices = [[sum(chosen) for chosen in itertools.combinations(of_cluster, 2)] for of_cluster in totals]
    sums = [sum(chosen) for chosen in itertools.product(*choices)]
    expected = sum(total <= observed for total in sums) / len(sums)
    assert Averaged(clusters).drop_p_value() == pytest.approx(expected)


def test_more_runs_before_make_the_bound_smaller() -> None:
    """Where half of the answers change by chance, three earlier runs know the rate better than one does."""
    random = np.random.RandomState(1)
    chances = random.random_sample(400)
    after = random.random_sample(400) < chances
    before = random.random_sample((3, 400)) < chances

    def of_runs(number: int) -> float:
        answers = [(tuple(map(bool, before[:number, trial])), (bool(after[trial]),)) for trial in range(400)]
        each = Averaged([[answer] for answer in answers])
        return each.drop_bound(0.05) + each.difference

    assert of_runs(3) < 0.85 * of_runs(1)


def test_without_losses_the_bound_is_above_zero() -> None:
    assert trials((3, 1, 100), runs=3).drop_bound(0.05) == pytest.approx(Paired(0, 0, 100).drop_bound(), abs=1e-6)
    assert Averaged([]).drop_bound() == 1.0


def test_clusters_count_by_their_effective_number() -> None:
    answers = [((True, True, False), (index % 3 > 0,)) for index in range(60)]
    apart = Averaged([[answer] for answer in answers])
    together = Averaged([[answer] * 5 for answer in answers])
    assert together.drop_bound(0.05) >= apart.drop_bound(0.05) - 1e-9
    assert together.difference == pytest.approx(apart.difference)


def test_the_interval_holds_the_difference() -> None:
    some = trials((2, 0, 10), (1, 1, 5), (3, 1, 40), runs=3)
    low, high = some.interval()
    assert low < some.difference < high
    assert some.reversed().interval() == pytest.approx((-high, -low))
    assert math.isnan(Averaged([]).difference)


@pytest.mark.parametrize("changes", [[[-1, 0, 1], [0], [-1, -1, 0, 0], [1], [0, 0]] * 4, [[-1]] * 9 + [[0]] * 60])
def test_the_fast_cases_are_the_general_ones(changes: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow = Averaged.of_changes(changes), Averaged.of_changes(changes)
    known = fast.drop_bound(), fast.drop_p_value(), fast.drop_p_value(mid=True)
    monkeypatch.setitem(vars(slow), "several", True)
    monkeypatch.setattr(averaged, "tango", lambda gained, lost, n, z: (slow_bound(gained, lost, n, z), 1.0))
    assert (slow.drop_bound(), slow.drop_p_value(), slow.drop_p_value(mid=True)) == pytest.approx(known)


def slow_bound(gained: float, lost: float, n: float, z: float) -> float:
    weights = {1.0: gained, -1.0: lost, 0.0: n - gained - lost}
    known = {change: weight for change, weight in weights.items() if weight}
    return root(lambda delta: score(known, delta) - z, -1.0, (gained - lost) / n)


@pytest.mark.parametrize("clusters", [3, 40, 700])
def test_chances_are_added_as_one_after_another(clusters: int) -> None:
    """Also by Fourier transforms, which long lists of chances take."""
    draws = np.random.default_rng(clusters)
    sums = [draws.dirichlet(np.ones(draws.integers(2, 9))) for _ in range(clusters)]
    one_by_one = np.ones(1)
    for each in sums:
        one_by_one = np.convolve(one_by_one, each)
    assert (len(one_by_one) > 2 * averaged.LONG) == (clusters == 700)
    np.testing.assert_allclose(averaged._added(sums), one_by_one, atol=1e-12)


def test_a_bound_counts_partial_changes() -> None:
    """80 of 80 trials lose 0.4 of their credit: no interval of the difference contains -0.1."""
    low, high = Averaged([[((1.0,), (0.6,))]] * 80).interval()
    assert low < -0.4 < high < -0.3


def test_trials_of_one_cluster_are_those_of_a_cluster() -> None:
    """As in a rate: where all trials share a section, the difference is that on this section."""
    trial = ((1,), (0,))
    assert difference([[trial] * 3]) == Paired(0, 3, 3)
    assert isinstance(difference([[trial] * 3, [trial]]), Averaged)
    assert difference([]) == Paired(0, 0, 0)
