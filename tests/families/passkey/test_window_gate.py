"""The gate on k_max."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from longctx.families.passkey.effective_window import SUCCESS_RATE
from longctx.families.passkey.window_gate import PairOutcome, judge_window, window_drop

KS = [128 * step for step in range(1, 33)]
BOTH, LOST, GAINED, NEITHER = (True, True), (True, False), (False, True), (False, False)


def reaching(before: int, after: int, n: int = 10) -> dict[int, list[PairOutcome]]:
    """Return n pairs at each k. before, after: up to which step of KS all trials are right; beyond it all are wrong."""
    return {k: [(step < before, step < after)] * n for step, k in enumerate(KS)}


def test_nothing_changed_passes() -> None:
    drop = window_drop(4096, reaching(32, 32), 0.05)
    assert (drop.before.k_max, drop.after.k_max, drop.bound, drop.span) == (4096, 4096, 0, 4096)
    assert judge_window(drop, shown=False, margin=0.05).verdict == "pass"


def test_the_baselines_own_answers_need_no_draws() -> None:
    few = reaching(16, 16, n=1)
    drawn, same = window_drop(4096, few, 0.05), window_drop(4096, few, 0.05, same_answers=True)
    assert judge_window(drawn, shown=False, margin=0.05).verdict == "inconclusive"
    assert judge_window(same, shown=False, margin=0.05).verdict == "pass"
    assert (same.bound, same.p_value) == (0, 1.0)
    assert (same.before, same.after) == (drawn.before, drawn.after)
    assert judge_window(same, shown=False, margin=0.05, minimum=2560).against_minimum == "inconclusive"


def test_half_the_window_lost_is_shown() -> None:
    drop = window_drop(4096, reaching(32, 16), 0.05)
    assert (drop.before.k_max, drop.after.k_max) == (4096, 2048)
    assert drop.p_value < 0.001
    assert judge_window(drop, shown=True, margin=0.05).verdict == "regression"
    assert judge_window(drop, shown=False, margin=0.05).verdict == "inconclusive"
    assert judge_window(drop, shown=True, margin=0.6).verdict == "pass"


def test_the_bound_holds_with_a_chance_of_alpha() -> None:
    """One k, with all right before and 18 of 60 after: whether k_max is still k turns on one rate, whose posterior is
    known."""
    by_k = {4096: [BOTH] * 18 + [LOST] * 42}
    chance = beta(18.5, 42.5).cdf(SUCCESS_RATE)
    assert 0.03 < chance < 0.032
    bounds = {alpha: window_drop(4096, by_k, alpha).bound for alpha in (0.01, 0.02, 0.05, 0.1)}
    assert bounds == {0.01: 4096, 0.02: 4096, 0.05: 0, 0.1: 0}
    assert window_drop(4096, by_k, 0.05).p_value == pytest.approx(1 - chance, abs=0.01)


def test_a_drop_of_at_most_the_margin_passes() -> None:
    """The margin is a share of the largest k, and k_max moves in steps: a bound may be the margin itself."""
    drop = replace(window_drop(4096, reaching(32, 32), 0.05), bound=256)
    assert judge_window(drop, shown=True, margin=256 / 4096).verdict == "pass"
    assert judge_window(drop, shown=True, margin=255 / 4096).verdict == "regression"
    unmoved = replace(drop, bound=0)
    assert judge_window(unmoved, shown=False, margin=0).verdict == "pass"


def test_a_gain_is_no_drop() -> None:
    drop = window_drop(4096, reaching(16, 32), 0.05)
    assert drop.bound <= 0
    assert drop.p_value == 1.0


def test_nothing_right_at_all_is_k_max_0() -> None:
    drop = window_drop(4096, reaching(0, 0), 0.05)
    assert (drop.before.k_max, drop.after.k_max) == (0, 0)


@pytest.mark.parametrize(
    ("minimum", "expected"), [(None, None), (2048, "pass"), (4096, "regression")], ids=["none", "reached", "missed"]
)
def test_a_stated_minimum_is_held_against_the_interval(minimum: int | None, expected: str | None) -> None:
    drop = window_drop(4096, reaching(20, 20), 0.05)
    assert judge_window(drop, shown=False, margin=0.05, minimum=minimum).against_minimum == expected


def test_a_minimum_within_the_interval_is_inconclusive() -> None:
    seldom = [*[BOTH] * 2, *[NEITHER] * 8]
    drop = window_drop(4096, {k: seldom if k > 2048 else [BOTH] * 10 for k in KS}, 0.05)
    assert judge_window(drop, shown=False, margin=0.05, minimum=3000).against_minimum == "inconclusive"


OUTCOMES = st.lists(st.sampled_from([BOTH, LOST, GAINED, NEITHER]), min_size=1, max_size=5)


@given(st.lists(OUTCOMES, min_size=1, max_size=5))
def test_every_outcome_has_bounds_in_the_grid(found: list[list[PairOutcome]]) -> None:
    by_k = dict(zip(KS, found, strict=False))
    drop = window_drop(4096, by_k, 0.05)
    assert -drop.span <= drop.bound <= drop.span
    assert 0 < drop.p_value <= 1
    assert drop.before.interval[0] <= drop.before.k_max <= drop.before.interval[1]
