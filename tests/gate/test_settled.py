"""The verdict on a run that was stopped early."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from longctx.families.passkey.grid import PasskeyGrid
from longctx.gate.bands import EARLY_STOP
from longctx.gate.verdict import Rules, give_verdict
from longctx.results.row import Row
from tests.rows import row, run

RULES = Rules(early_stop=True)


def rows(outcomes: list[str], left_out: int = 0, window: int | None = None) -> list[Row]:
    place: dict[str, Any] = {"family": "family", "scenario": "s", "params": {}}
    if window is not None:
        place = {"family": "passkey", "scenario": "s", "params": {"window": window, "k": 100}}
    answered = run(*outcomes, band="all", model_returned="toy", **place)
    return [
        *answered,
        *(row("not_asked", trial=len(answered) + n, band="all", error=EARLY_STOP, **place) for n in range(left_out)),
    ]


BEFORE = rows(["correct"] * 400)


def test_what_was_left_out_is_neither_missing_nor_unpaired() -> None:
    given = give_verdict(BEFORE, rows(["correct"] * 150, 250), RULES)
    assert (given.verdict, given.trials, given.not_asked, given.settled) == ("pass", 400, 250, True)
    [family] = given.families
    assert (family.asked, family.missing, family.alone, family.reasons) == (150, 0, (0, 0), ())


def test_each_way_to_a_verdict_has_its_part_of_alpha() -> None:
    stopped, whole = give_verdict(BEFORE, rows(["correct"] * 150, 250), RULES), give_verdict(BEFORE, BEFORE, RULES)
    assert [stopped.alpha, whole.alpha] == pytest.approx([0.025, 0.025])
    assert give_verdict(BEFORE, BEFORE, Rules()).alpha == RULES.alpha


def test_too_few_to_look_at_settle_nothing() -> None:
    assert not give_verdict(BEFORE, rows(["correct"] * 50, 350), RULES).settled
    assert not give_verdict(BEFORE, rows([], 400), RULES).settled


def test_a_large_drop_settles_and_a_small_one_does_not_yet() -> None:
    large: list[str] = ["wrong"] * 12 + ["correct"] * 88
    assert give_verdict(BEFORE, rows(large, 300), RULES).settled
    as_large_as_the_margin: list[str] = ["wrong"] * 12 + ["correct"] * 228
    assert give_verdict(BEFORE, rows(as_large_as_the_margin, 160), RULES).settled
    small: list[str] = ["wrong"] * 12 + ["correct"] * 288
    given = give_verdict(BEFORE, rows(small, 100), RULES)
    assert (given.verdict, given.settled) == ("regression", False)


def test_what_could_not_be_asked_settles_nothing() -> None:
    failed: list[str] = ["correct"] * 150 + ["infra_error"] * 20
    given = give_verdict(BEFORE, rows(failed, 230), RULES)
    assert (given.verdict, given.settled) == ("invalid", False)


def test_a_family_with_a_stated_minimum_does_not_pass_before_its_end() -> None:
    before = rows(["correct"] * 400, window=1000)
    stated = replace(RULES, grids={("passkey", "some-model"): [PasskeyGrid(windows=(1000,), trials=1, min_k_max=1000)]})
    for left_out in (250, 1):
        after = rows(["correct"] * (400 - left_out), left_out, window=1000)
        given = give_verdict(before, after, stated)
        assert (given.verdict, given.settled, given.families[0].missed) == ("inconclusive", False, ())
        assert give_verdict(before, after, RULES).settled
    fallen: list[str] = ["wrong"] * 20 + ["correct"] * 20
    assert give_verdict(before, rows(fallen, 360, window=1000), RULES).settled
