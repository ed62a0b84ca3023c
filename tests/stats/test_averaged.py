"""The mean of several answers: its test and its bound."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from longctx.stats import bound, signflip
from longctx.stats.averaged import AnswerPair, Averaged, drop_bound, score
from longctx.stats.paired import score as tangos_score


def trials(*counts: tuple[int, int, int], runs: int) -> Averaged:
    """Return independent trials: of so many right answers before, right or wrong after, so many trials."""
    answers: list[list[AnswerPair]] = []
    for right, after, number in counts:
        answers += [[([True] * right + [False] * (runs - right), [bool(after)])] for _ in range(number)]
    return Averaged(answers)


@pytest.mark.parametrize(("gained", "lost", "n"), [(3, 9, 50), (0, 4, 40), (0, 0, 30), (7, 2, 12)])
def test_with_one_run_the_test_and_the_bound_are_those_of_pairs(gained: int, lost: int, n: int) -> None:
    one = trials((0, 1, gained), (1, 0, lost), (1, 1, n - gained - lost), runs=1)
    assert one.drop_p_value() == pytest.approx(signflip.drop_p_value([1] * gained + [-1] * lost))
    assert one.drop_bound(0.05) == pytest.approx(bound.drop_bound(one.changes), abs=1e-9)
    weights = {1.0: gained, -1.0: lost, 0.0: n - gained - lost}
    delta = (gained - lost) / n - 0.1
    known = {change: float(weight) for change, weight in weights.items() if weight}
    assert score(known, delta) == pytest.approx(tangos_score(gained, lost, n, delta))


def test_the_test_counts_all_ways_to_choose_the_later_runs() -> None:
    """Two clusters of two trials, three runs before and two after, by enumeration."""
    before = [[(1, 1, 0), (1, 0, 1)], [(0, 1, 1), (1, 1, 1)]]
    after = [[(0, 0), (1, 0)], [(0, 1), (0, 0)]]
    clusters = [
        [([bool(x) for x in b], [bool(x) for x in a]) for b, a in zip(*of_cluster, strict=True)]
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
        answers = [([bool(b) for b in before[:number, trial]], [bool(after[trial])]) for trial in range(400)]
        each = Averaged([[answer] for answer in answers])
        return each.drop_bound(0.05) + each.difference

    assert of_runs(3) < 0.85 * of_runs(1)


def test_without_losses_the_bound_is_above_zero() -> None:
    assert trials((3, 1, 100), runs=3).drop_bound(0.05) == pytest.approx(bound.drop_bound([[0]] * 100), abs=1e-6)
    assert drop_bound([], 0.05) == 1.0


def test_clusters_count_by_their_effective_number() -> None:
    answers = [([True, True, False], [index % 3 > 0]) for index in range(60)]
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
