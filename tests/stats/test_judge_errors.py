"""The errors of a judge: Rogan and Gladen's estimate, its interval, and how many labels make it known."""

from __future__ import annotations

import math

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from longctx.stats.judge_errors import JudgeErrors, kappa, limited
from longctx.stats.rates import Rate

ERRORS = JudgeErrors(Rate(5, 100), Rate(10, 100))


def test_the_accuracy_is_that_of_rogan_and_gladen() -> None:
    value, low, high = ERRORS.accuracy(limited(Rate(865, 1000)))
    assert value == pytest.approx((0.865 - 0.1) / (1 - 0.05 - 0.1))
    assert low < value < high


def test_a_judge_without_errors_changes_little_and_widens_the_interval() -> None:
    shown = Rate(80, 100)
    value, low, high = JudgeErrors(Rate(0, 10_000), Rate(0, 10_000)).accuracy(limited(shown))
    assert (value, low, high) == pytest.approx((0.8, shown.lo, shown.hi), abs=1e-3)
    few = JudgeErrors(Rate(0, 10), Rate(0, 10)).accuracy(limited(shown))
    assert few[1] < low < high < few[2]


@pytest.mark.parametrize("shown", [Rate(0, 50), Rate(1, 50), Rate(50, 50)])
def test_an_accuracy_stays_within_0_and_1(shown: Rate) -> None:
    value, low, high = ERRORS.accuracy(limited(shown))
    assert 0 <= low <= value <= high <= 1


def test_the_difference_is_larger_than_the_judge_shows_and_has_a_mirror() -> None:
    value, low, high = ERRORS.difference((-0.05, -0.10, -0.01))
    assert value == pytest.approx(-0.05 / 0.85)
    assert low < -0.10 / 0.85
    assert high == -0.01  # the judge may have seen all of the change
    assert ERRORS.difference((0.05, 0.01, 0.10)) == pytest.approx((-value, -high, -low))


@pytest.mark.parametrize(
    "errors",
    [JudgeErrors(), JudgeErrors(Rate(1, 9)), JudgeErrors(on_wrong=Rate(1, 9)), JudgeErrors(Rate(5, 9), Rate(4, 9))],
)
def test_a_judge_no_better_than_chance_or_without_labels_corrects_nothing(errors: JudgeErrors) -> None:
    value, *interval = errors.accuracy((0.8, 0.7, 0.9))
    assert math.isnan(value)
    assert interval == [0, 1]
    assert errors.difference((0.0, -0.1, 0.1))[1:] == (-1, 1)
    assert errors.needed(0.8, 0.05) is None


def test_the_needed_labels_give_the_accuracy_to_the_margin_if_trials_cost_nothing() -> None:
    needed = ERRORS.needed(0.8, 0.05)
    assert needed is not None

    def reach(labels: int) -> float:
        half = labels / 2
        value, low, high = JudgeErrors(Rate(0.05 * half, half), Rate(0.1 * half, half)).accuracy((0.8, 0.8, 0.8))  # type: ignore[arg-type]
        return max(high - value, value - low)

    assert reach(needed) <= 0.05 < reach(needed - 1)
    assert (ERRORS.needed(0.8, 0.02) or 0) > needed


def test_labels_of_one_answer_count_once() -> None:
    alone = JudgeErrors(Rate(5, 100, 5.0), Rate(10, 100, 5.0)).accuracy((0.8, 0.8, 0.8))
    assert alone[2] - alone[1] > 2 * (ERRORS.accuracy((0.8, 0.8, 0.8))[2] - ERRORS.accuracy((0.8, 0.8, 0.8))[1])


@pytest.mark.parametrize("table", [[[40, 5], [3, 12]], [[10, 1, 2], [0, 8, 1], [2, 2, 9]]])
def test_kappa_is_that_of_statsmodels(table: list[list[int]]) -> None:
    pairs = [
        (str(first), str(second))
        for first, row in enumerate(table)
        for second, number in enumerate(row)
        for _ in range(number)
    ]
    same = Rate(sum(first == second for first, second in pairs), len(pairs))
    value, low, high = kappa(pairs, same)
    expected = cohens_kappa(table)
    assert value == pytest.approx(expected.kappa)
    assert (low, high) == pytest.approx((expected.kappa_low, expected.kappa_upp), abs=0.1)


def test_raters_that_always_say_the_same_have_no_kappa() -> None:
    assert math.isnan(kappa([("y", "y")] * 5, Rate(5, 5))[0])
    assert math.isnan(kappa([], Rate(0, 0))[0])
