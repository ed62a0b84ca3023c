"""Trials that two runs have in common."""

from __future__ import annotations

from longctx.compare.pairs import by_family, correct, measured, pairs
from tests.compare.test_runs import frame, run


def test_the_same_question_is_paired_and_keeps_both_outcomes() -> None:
    found = pairs(frame(run("correct", "wrong", "correct")), frame(run("wrong", "not_asked")))
    assert [(one["outcome"], two["outcome"]) for one, two in found.both.values()] == [
        ("correct", "wrong"),
        ("wrong", "not_asked"),
    ]
    assert (len(found.before), len(found.after), found.otherwise) == (3, 2, 0)
    [first, second] = found.both.values()
    assert [correct(first[0]), measured(second[1])] == [True, False]


def test_another_version_of_the_family_asks_something_else() -> None:
    found = pairs(frame(run("correct", "wrong")), frame(run("correct", "wrong", version=2)))
    assert (found.both, found.otherwise) == ({}, 2)


def test_what_was_kept_without_text_is_paired_by_its_key() -> None:
    kept, other = frame(run("correct", expected=None)), frame(run("correct", expected="9"))
    assert len(pairs(kept, other).both) == 1
    assert pairs(frame(run("correct", expected="7")), other).otherwise == 1


def test_rows_are_grouped_by_family_and_subject() -> None:
    rows = frame(run("correct"), run("correct", "wrong", model="other"), run("wrong", family="passkey"))
    found = by_family(rows)
    assert {family: [len(group) for group in groups.values()] for family, groups in found.items()} == {
        "line_retrieval": [1, 2],
        "passkey": [1],
    }
