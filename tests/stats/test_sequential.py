"""Evidence that is valid at any time (e-values)."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.gate.bands import Band, judge
from longctx.stats.sequential import against_drop, capital, drop_bound, drop_p_value

LENGTH = 8
ALPHA = 0.1

Chances = tuple[float, float]
"""The probabilities that a trial is lost and that it is gained."""

chances = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda two: (two[0] / 2, two[1] / 2))


def chance_of(changes: tuple[int, ...], trials: list[Chances]) -> float:
    return math.prod(
        {-1: lost, 1: gained, 0: 1 - lost - gained}[change]
        for change, (lost, gained) in zip(changes, trials, strict=True)
    )


def sequences(trials: list[Chances]) -> list[tuple[tuple[int, ...], float]]:
    """Return all possible sequences with their probabilities."""
    return [(changes, chance_of(changes, trials)) for changes in itertools.product((-1, 0, 1), repeat=len(trials))]


def against_no_drop(changes: tuple[int, ...]) -> float:
    return capital_of(changes.count(-1), changes.count(1))


@functools.lru_cache(1000)
def capital_of(lost: int, gained: int) -> float:
    return float(capital([1, -1], [lost, gained]))


def against_margin(changes: tuple[int, ...], margin: float) -> float:
    return capital_against(margin, changes.count(-1), changes.count(1), changes.count(0))


@functools.lru_cache(1000)
def capital_against(margin: float, *counts: int) -> float:
    """counts: the numbers of trials that were lost, gained, and neither."""
    return float(against_drop(margin, np.array([1.0, -1.0, 0.0]), counts))


@given(st.lists(chances, min_size=1, max_size=4))
def test_without_a_drop_the_capital_does_not_grow(trials: list[Chances]) -> None:
    fair = [(min(pair), max(pair)) for pair in trials]
    assert sum(chance * against_no_drop(changes) for changes, chance in sequences(fair)) <= 1 + 1e-9


@given(st.lists(chances, min_size=1, max_size=2))
def test_what_some_scenarios_lost_and_others_gained_in_a_round_is_no_drop(trials: list[Chances]) -> None:
    balanced = [*trials, *((gained, lost) for lost, gained in trials)]
    assert sum(chance * against_no_drop(changes) for changes, chance in sequences(balanced)) <= 1 + 1e-9


@given(st.lists(chances, min_size=1, max_size=4))
def test_against_a_drop_as_large_as_the_mean_the_capital_does_not_grow(trials: list[Chances]) -> None:
    margin = sum(lost - gained for lost, gained in trials) / len(trials)
    assert sum(chance * against_margin(changes, margin) for changes, chance in sequences(trials)) <= 1 + 1e-9


@pytest.mark.parametrize("chance", [(0.5, 0.5), (0.2, 0.2), (0.05, 0.05)])
def test_looking_after_every_trial_keeps_alpha(chance: Chances) -> None:
    ever = sum(
        probability
        for changes, probability in sequences([chance] * LENGTH)
        if any(against_no_drop(changes[:end]) >= 1 / ALPHA for end in range(1, LENGTH + 1))
    )
    assert ever <= ALPHA


@pytest.mark.parametrize("chance", [(0.5, 0.0), (0.3, 0.0), (0.45, 0.05)])
def test_looking_after_every_trial_passes_no_drop_of_the_margin_more_often_than_alpha(chance: Chances) -> None:
    margin = chance[0] - chance[1]
    ever = sum(
        probability
        for changes, probability in sequences([chance] * LENGTH)
        if any(against_margin(changes[:end], margin) >= 1 / ALPHA for end in range(1, LENGTH + 1))
    )
    assert ever <= ALPHA


def test_the_p_value_bets_on_clusters() -> None:
    assert drop_p_value([]) == drop_p_value([0, 0]) == drop_p_value([3, 2]) == 1.0
    assert drop_p_value([-8] * 3) == drop_p_value([-1] * 3) > 0.2
    assert drop_p_value([-1] * 24) == pytest.approx(25 / (2**25 - 1), rel=0.01)  # the integral that STAKES stands for


def test_the_bound_is_the_smallest_drop_refuted() -> None:
    assert drop_bound([]) == 1.0
    clusters = [[-1]] * 10 + [[0]] * 300 + [[1]] * 5
    bound = drop_bound(clusters, 0.05)
    assert against_margin((-1,) * 10 + (0,) * 300 + (1,) * 5, bound) == pytest.approx(20, rel=0.01)
    assert 5 / 315 < bound < 0.1
    assert drop_bound(clusters, 0.01) > bound
    assert drop_bound([[-1] * 5] * 10) > 0.99


def test_trials_that_change_together_count_as_one() -> None:
    assert drop_bound([[0] * 10] * 40) == drop_bound([[0]] * 40) > drop_bound([[0]] * 400)


def test_capital_of_many_trials_is_no_number_too_large() -> None:
    assert np.isfinite(capital([1, -1], [100_000, 0]))
    assert capital([1, -1], [[0, 0], [5, 0]]).shape == (2,)


def test_the_gate_takes_more_to_be_sure_at_any_time() -> None:
    def verdict(lost: int, n: int, at_any_time: bool) -> str:
        bands = {Band("line_retrieval", "all"): [[-1]] * lost + [[0]] * (n - lost)}
        return judge(bands, at_any_time=at_any_time)[0].verdict

    assert [verdict(6, 50, at_any_time) for at_any_time in (False, True)] == ["regression", "inconclusive"]
    assert [verdict(10, 50, at_any_time) for at_any_time in (False, True)] == ["regression", "regression"]
    assert [verdict(0, 70, at_any_time) for at_any_time in (False, True)] == ["pass", "inconclusive"]
    assert [verdict(0, 150, at_any_time) for at_any_time in (False, True)] == ["pass", "pass"]
