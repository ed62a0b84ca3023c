"""The rows that the verdict is on, if the base branch's test code judges."""

from __future__ import annotations

from dataclasses import replace

from longctx.gate.judged_by_base import JudgedByBase, OtherRequests
from longctx.results.row import Row
from tests.rows import run


def rows(*kinds: str, test: str = "test_it", **fields: object) -> list[Row]:
    return [replace(row, **fields) for row in run(*kinds, test=test, band="all")]  # type: ignore[arg-type]


OWN = rows("correct", "correct", "correct", prompt_sha256="sent", origin="new", source="live")


def judged_by_base(*kinds: str, **fields: object) -> JudgedByBase:
    there = rows(*kinds, prompt_sha256="another", source="replayed")
    return JudgedByBase("main", there, frozenset({"test_it"}), **fields)  # type: ignore[arg-type]


def test_the_judgement_of_the_base_counts_on_the_answers_of_the_change() -> None:
    judged = judged_by_base("correct", "wrong", "wrong").judged(OWN)
    assert [row.outcome for row in judged] == ["correct", "wrong", "wrong"]
    assert {(row.prompt_sha256, row.origin, row.source) for row in judged} == {("sent", "new", "live")}


def test_what_was_not_measured_and_what_the_base_does_not_know_stay_as_they_are() -> None:
    unmeasured = [OWN[0], replace(OWN[1], outcome="not_asked", error="stale"), OWN[2]]
    judged = judged_by_base("wrong", "not_asked", "wrong").judged(unmeasured)
    assert [(row.outcome, row.error) for row in judged] == [("wrong", None), ("not_asked", "stale"), ("wrong", None)]
    other = rows("correct", test="test_new")
    assert judged_by_base("wrong", "wrong", "wrong").judged([*OWN, *other])[-1] == other[0]
    cell = [replace(row, cell="new") for row in OWN]
    assert judged_by_base("wrong", "wrong", "wrong").judged([*OWN, *cell])[3:6] == cell


def test_a_trial_that_the_change_skips_is_judged_and_one_that_the_base_skips_is_not() -> None:
    assert [row.outcome for row in judged_by_base("correct", "wrong", "wrong").judged(OWN[:2])] == [
        "correct",
        "wrong",
        "wrong",
    ]
    assert len(judged_by_base("correct", "wrong").judged(OWN)) == 2


def test_checks_are_those_of_the_base() -> None:
    own = [*OWN, *rows("correct", "correct", "correct", test="test_it.polite")]
    base = JudgedByBase(
        "main",
        [*rows("correct", "correct", "wrong"), *rows("correct", "correct", "wrong", test="test_it.exact")],
        frozenset({"test_it"}),
    )
    assert {row.test for row in base.judged(own)} == {"test_it", "test_it.exact"}
    assert [*base.sentences(own)] == [
        "test_it: by main's test code 0.67, by this branch's 1.00",
        "test_it.polite: by main's test code none, by this branch's 1.00",
        "test_it.exact: by main's test code 0.67, by this branch's none",
    ]


def test_equal_judgements_are_not_mentioned() -> None:
    assert not [*judged_by_base("correct", "correct", "correct").sentences(OWN)]


def test_sentences_on_requests_tests_and_margins() -> None:
    base = judged_by_base(
        *("correct", "correct", "correct"),
        requests={"test_it": OtherRequests(3, differ=3, more=2, fewer=1)},
        files={"test_it": "tests/test_it.py"},
        margin=(0.9, None),
        new=["test_new"],
    )
    assert [*base.sentences([*OWN, *rows("correct", test="test_new"), *rows("correct", test="passkey")])] == [
        "test_it (tests/test_it.py): main's test code needs more or other requests in 2 of 3 trials.",
        "test_it (tests/test_it.py): main's test code needs fewer requests in 1 of 3 trials.",
        "test_it (tests/test_it.py): main's test code would send another text in 3 of 3 trials.",
        "test_new is not on main: only this branch's test code judges it.",
        "The margin of this branch's hooks, 0.9, is not used: main's is none.",
    ]


def test_code_that_cannot_judge_is_a_reason() -> None:
    base = JudgedByBase("main", broken={"test_it": "ImportError: no name x."}, files={"test_it": "tests/test_it.py"})
    assert [*base.reasons] == [
        "main's test code cannot judge test_it (tests/test_it.py): ImportError: no name x. Merge the change of test "
        "code on its own first"
    ]
    assert base.judged(OWN) == OWN
    assert not [*base.sentences(OWN)]
