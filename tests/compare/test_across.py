"""What a parameter costs within one run, and the effective length."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.compare.across import Curve, curves
from longctx.registry import shipped
from longctx.results.row import Row
from tests.rows import joined, lines, right_of, run


def tokens(number: int, correct: int, n: int = 200) -> list[Row]:
    place = {"cell": f"tokens-{number}", "params": {"tokens": number}}
    return run(*right_of(correct, n), test="test_refund_code", **place)


def of(*rows: list[Row], parameter: str = "length", share: float = 0.85) -> Curve:
    [curve] = curves(joined(*rows), shipped(), parameter, share)
    return curve


def test_the_effective_length_ends_where_the_rate_falls() -> None:
    curve = of(tokens(16_000, 60), tokens(1000, 190), tokens(4000, 188), tokens(64_000, 190))
    assert (curve.parameter, curve.first, curve.paired) == ("tokens", 1000, True)
    assert [step.value for step in curve.steps] == [4000, 16_000, 64_000]
    assert [(step.shown, step.observed, step.below) for step in curve.steps] == [
        (True, True, False),
        (False, False, True),
        (True, True, False),
    ]
    assert curve.effective == (4000, 4000, 4000, False)


def test_with_few_trials_its_interval_is_wide() -> None:
    curve = of(tokens(1000, 9, n=10), tokens(4000, 8, n=10), tokens(8000, 7, n=10))
    assert curve.effective == (1000, 4000, 8000, True)


def test_another_share() -> None:
    rows = tokens(1000, 200), tokens(4000, 150)
    assert of(*rows).effective[0] == 1000
    assert of(*rows, share=0.6).effective[0] == 4000


def test_items_that_do_not_correspond_are_two_samples() -> None:
    paired, unpaired = of(tokens(3, 100), tokens(5, 100)), of(lines(3, 100), lines(5, 100))
    assert (paired.paired, unpaired.paired) == (True, False)
    narrow, wide = (curve.steps[0].interval for curve in (paired, unpaired))
    assert wide[0] < narrow[0] < 0 < narrow[1] < wide[1]


def test_only_what_is_measured_at_every_value_is_compared() -> None:
    curve = of(lines(3, 200), lines(5, 200), lines(5, 0, block_size=1))
    assert (curve.steps[0].rate.n, curve.left_out, curve.pooled) == (200, 200, False)
    pooled = of(lines(3, 200), lines(5, 100, block_size=1))
    assert (pooled.pooled, pooled.paired, pooled.left_out) == (True, False, 0)


def test_any_parameter_and_none_that_has_one_value() -> None:
    rows = joined(lines(5, 200), lines(5, 150, block_size=1))
    curve = of(rows, parameter="block_size")
    assert (curve.first, curve.steps[0].value, round(curve.steps[0].difference, 2)) == (None, 1, -0.25)
    assert curves(rows, shipped(), "length") == []
    assert curves(rows, shipped(), "nothing") == []


def test_a_rate_at_the_floor_has_nothing_to_retain() -> None:
    assert not of(lines(3, 0), lines(5, 0)).can_fall
    assert of(lines(3, 20), lines(5, 0)).can_fall


def test_trials_about_one_section_are_one_cluster() -> None:
    alone = of(tokens(1000, 190), tokens(4000, 150))
    rows = joined(tokens(1000, 190), tokens(4000, 150))
    alike = of([replace(row, cluster=f"section {row.trial // 20}") for row in rows])
    assert alike.steps[0].difference == alone.steps[0].difference
    assert alike.steps[0].interval[0] < alone.steps[0].interval[0]
    assert alike.steps[0].retained[0] < alone.steps[0].retained[0]


@given(st.lists(st.integers(0, 40), min_size=2, max_size=6))
def test_what_is_shown_is_observed_and_what_is_observed_may_be(correct: list[int]) -> None:
    curve = of(*(tokens(1000 * (place + 1), right, n=40) for place, right in enumerate(correct)))
    shown, observed, most, _ = curve.effective
    lengths = [1000 * (place + 1) for place in range(len(correct))]
    assert lengths.index(shown) <= lengths.index(observed) <= lengths.index(most)
    assert all(not math.isnan(step.difference) for step in curve.steps)


def credited(number: int, credit: float, repeats: int = 1) -> list[Row]:
    """Return the rows of a check with partial credit."""
    place = {"cell": f"tokens-{number}", "params": {"tokens": number}, "trace": {"credit": round(1000 * credit)}}
    return joined(
        *(run(*right_of(40, 40), test="test_refund_code.terms", repeat=repeat, **place) for repeat in range(repeats))
    )


def test_a_drop_of_partial_credit_is_in_its_interval() -> None:
    [step] = of(credited(1000, 1.0), credited(4000, 0.6), parameter="tokens").steps
    low, high = step.interval
    assert step.difference == pytest.approx(-0.4)
    assert low < -0.4 < high < -0.2


def test_repeats_of_an_item_are_no_further_items() -> None:
    """40 items that were answered once, or five times alike."""
    once, often = (
        of(credited(1000, 1.0, repeats), credited(4000, 0.9, repeats), parameter="tokens").steps[0]
        for repeats in (1, 5)
    )
    assert often.interval == pytest.approx(once.interval)
