"""Whole verdicts from rows, at both sides of each threshold: stated minimums, and bands that are settled at a look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from longctx.gate.verdict import Rules, RunVerdict, give_verdict
from longctx.results.row import Row
from longctx.stats.rates import Rate
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.looks import RunLooks
from longctx.vocabulary.report import Report, Reported, StatedMinimum
from tests.gate import in_looks
from tests.gate.examples import RULES
from tests.gate.in_looks import after, judged, wrong
from tests.rows import digested, joined, right_of, run

N = 100
KEYS = "test_keys"


def named_keys(before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Sequence[Reported]:
    """Require that half of the trials name their key."""
    named = Rate(sum(row.trace.get("named", 0) for row in after), len(after))
    minimum = StatedMinimum(named.p_below(0.5), named.hi < 0.5, f"{named.rate:.0%} name the key, below 50%")
    return [Reported("keys", {"named": named.rate}, "Keys named", {"named": str(named)}, minimum)]


def of_keys(named: int, bands: int) -> RunVerdict:
    """Return the verdict on a run with so many named keys, whose other answers are the baseline's, in so many bands."""
    others = [run(*right_of(90, N), test="test_other", cell=f"b{n}", band=f"b{n}") for n in range(bands - 1)]
    own = digested(joined(run(*right_of(90, N), test=KEYS, cell="all", band="all"), *others), "a")
    told = [replace(row, trace={"named": int(row.trial < named)}) if row.test == KEYS else row for row in own]
    reports = {KEYS: Report(gate=named_keys), "test_other": Report()}
    return give_verdict(told, told, replace(RULES, reports=reports))


@pytest.mark.parametrize("bands", [1, 3, 9])
def test_a_minimum_is_missed_from_the_number_at_which_its_share_of_alpha_is_reached(bands: int) -> None:
    """By the exact binomial distribution, with Holm's first step over the minimum and all bands."""
    at_most = [sum(math.comb(N, right) for right in range(most + 1)) / 2**N for most in range(N)]
    most = max(number for number, p_value in enumerate(at_most) if p_value <= 0.05 / (1 + bands))
    missed, reached = of_keys(most, bands), of_keys(most + 1, bands)
    assert [each.verdict for each in (missed, reached)] == ["regression", "pass"]
    assert [len(each.tests[0].missed) for each in (missed, reached)] == [1, 0]
    assert {band.verdict for band in missed.bands} == {"pass"}


@pytest.mark.parametrize(("lost", "verdict", "settled"), [(7, "inconclusive", False), (8, "regression", True)])
def test_a_drop_settles_a_band_at_its_first_look(lost: int, verdict: str, settled: bool) -> None:
    given, band = judged(after(wrong(lost), looks=1))
    assert (given.verdict, band.look, band.settled) == (verdict, 1, settled)


@pytest.mark.parametrize(("lost", "verdict", "look"), [(7, "pass", 4), (8, "regression", 1)])
def test_what_comes_after_the_look_that_settled_a_band_does_not_count(lost: int, verdict: str, look: int) -> None:
    """All answers of later looks are right."""
    given, band = judged(after(wrong(lost, at=1)))
    assert (given.verdict, band.look) == (verdict, look)


@pytest.mark.parametrize(("margin", "settled"), [(0.1, True), (0.11, False)])
def test_a_drop_below_the_margin_is_significant_and_settles_nothing(margin: float, settled: bool) -> None:
    """Eight of 80 answers, a drop of 10 points."""
    given, band = judged(after(wrong(8), looks=1), Rules(looks=RunLooks.all("equal"), margin=margin))
    assert (band.difference, band.shown, given.verdict) == (-0.1, True, "regression")
    assert band.settled is settled


@pytest.mark.parametrize(
    ("lost", "looks", "verdict", "settled"),
    [
        (0, 1, "inconclusive", False),
        (0, 2, "pass", True),
        (1, 2, "inconclusive", False),
        (1, 3, "pass", True),
        (2, 3, "regression", False),
        (2, 4, "pass", True),
        (3, 4, "regression", False),
        (3, 5, "regression", True),
    ],
)
def test_a_band_passes_at_the_first_look_that_rules_the_margin_out(
    lost: int, looks: int, verdict: str, settled: bool
) -> None:
    given, band = judged(after(wrong(lost), looks=looks))
    assert (given.verdict, band.look, band.settled) == (verdict, looks, settled)
    assert (band.bound < in_looks.RULES.margin) == (verdict == "pass")


@pytest.mark.parametrize(("unmeasured", "verdict"), [(1, "pass"), (2, "invalid")])
def test_a_trial_that_was_not_measured_may_not_change_what_a_look_settles(unmeasured: int, verdict: str) -> None:
    """With one wrong answer in each look the margin is ruled out at the third; with two more, a drop is significant."""

    def outcome(look: int, place: int) -> str:
        return "infra_error" if look == 3 and place > 79 - unmeasured else "wrong" if place < 1 else "correct"

    given, band = judged(after(outcome, looks=3))
    assert (given.verdict, band.settled) == (verdict, verdict == "pass")
