"""Cases that entered or left since the baseline."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.gate.cases import Retired
from longctx.gate.changed import _of_cases
from longctx.gate.invalid_in_advance import invalid_in_advance
from longctx.gate.verdict import Rules, RunVerdict, give_verdict
from longctx.results.row import EARLY_STOP, Row
from tests.gate.examples import AGELESS
from tests.rows import run

WAITING = replace(AGELESS, retired=Retired({}, frozenset({"test_it#case-0"})))


def cases(number: int, *wrong: int, first: int = 0, **fields: object) -> list[Row]:
    places = range(first, first + number)
    rows = run(*("wrong" if place in wrong else "correct" for place in places), test="test_it", band="all", **fields)
    return [replace(row, trial=place, item=f"case-{place}") for place, row in zip(places, rows, strict=True)]


BEFORE = cases(120)


def judged(after: list[Row], rules: Rules = AGELESS, before: list[Row] = BEFORE) -> RunVerdict:
    return give_verdict(before, after, rules, {})


@pytest.mark.parametrize(("gone", "verdict"), [(1, "pass"), (2, "invalid"), (52, "invalid")])
def test_cases_that_are_gone_count_as_not_measured(gone: int, verdict: str) -> None:
    given = judged(cases(120 - gone, first=gone))
    [test] = given.tests
    assert (given.verdict, test.asked, test.missing) == (verdict, 120, gone)
    if verdict == "invalid":
        assert test.reasons[0].startswith(f"{gone} of 120 trials of the baseline are not in this run (case-0, case-1")
    assert [*_of_cases(given)] == [f"cases removed: {gone} of test_it"]


def test_cases_that_would_change_the_verdict_if_they_were_wrong_make_it_invalid() -> None:
    before = cases(1000)
    assert judged(cases(1000, *range(34)), before=before).verdict == "pass"
    given = judged(cases(992, *range(34)), before=before)
    assert given.tests[0].reasons == (
        "if the missing trials counted as wrong, the verdict would be regression and not pass",
    )


def test_repeats_of_which_some_are_left_out_count() -> None:
    after = [*cases(120), *(replace(row, repeat=1) for row in cases(100))]
    given = judged(after)
    assert (given.verdict, given.tests[0].missing) == ("invalid", 20)
    assert judged([*after, *(replace(row, repeat=1) for row in cases(20, first=100))]).tests[0].missing == 0


def test_a_baseline_of_several_runs_lacks_nothing_in_one() -> None:
    before = [*BEFORE, *(replace(row, repeat=1) for row in BEFORE)]
    assert judged(cases(120), before=before).tests[0].missing == 0


def test_an_early_stop_is_no_case_that_is_gone() -> None:
    stopped = [replace(row, outcome="not_asked", error=EARLY_STOP) for row in cases(60, first=60)]
    assert judged([*cases(60), *stopped]).tests[0].vanished == ()


def test_a_part_that_was_chosen_lacks_nothing() -> None:
    assert judged(cases(60), replace(AGELESS, subset=True)).tests[0].vanished == ()


@pytest.mark.parametrize("name", ["test_it#case-{}", "test_it/lines-5#case-{}"])
def test_retired_cases_are_not_compared(name: str) -> None:
    retired = Retired({name.format(number): "no longer sold" for number in range(52)})
    given = judged(cases(68, first=52), replace(AGELESS, retired=retired))
    assert (given.verdict, given.tests[0].vanished, len(given.retired)) == ("pass", (), 52)
    assert given.retired["test_it/lines-5#case-0"] == "no longer sold"
    assert invalid_in_advance(BEFORE, cases(68, first=52), replace(AGELESS, retired=retired), tests={}) == []


def test_a_retired_case_that_is_still_there_is_compared() -> None:
    retired = Retired({"test_it#case-0": "no longer sold"})
    given = judged(cases(120, 0), replace(AGELESS, retired=retired))
    assert (given.retired, given.tests[0].asked, len(given.tests[0].lost)) == ({}, 120, 1)


def test_a_whole_cell_can_be_retired() -> None:
    before = [*BEFORE, *cases(60, cell="lines-9")]
    assert judged(cases(120), before=before).verdict == "invalid"
    assert judged(cases(120), replace(AGELESS, retired=Retired({"test_it/lines-9": "gone"})), before).verdict == "pass"


def test_what_only_the_change_retires_does_not_count() -> None:
    given = judged(cases(100, first=20), WAITING)
    assert given.verdict == "invalid"
    assert "(1 of them is retired on this branch only: merge that entry first)" in given.tests[0].reasons[0]


def test_it_is_known_before_anything_is_sent() -> None:
    [reason] = invalid_in_advance(BEFORE, cases(100), AGELESS, tests={})
    assert reason.startswith("test_it: 20 of 120 trials of the baseline are not in this run")
    assert invalid_in_advance(BEFORE, cases(100), AGELESS, part=True, tests={}) == []


def test_new_cases_are_named_with_their_result() -> None:
    given = judged([*BEFORE, *cases(20, *range(120, 138), first=120)])
    [test] = given.tests
    assert (given.verdict, [row.name for row in test.added[:2]], len(test.added)) == (
        "pass",
        ["case-120", "case-121"],
        20,
    )
    assert [*_of_cases(given)] == ["cases added: 20 of test_it"]
