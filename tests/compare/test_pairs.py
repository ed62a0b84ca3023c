"""Trials that two runs have in common."""

from __future__ import annotations

from longctx.compare.pairs import pairs
from longctx.results.grouping import by_family
from tests.rows import joined, run


def test_the_same_question_is_paired_and_keeps_both_outcomes() -> None:
    paired = pairs(joined(run("correct", "wrong", "correct")), joined(run("wrong", "not_asked")))
    assert [(before.outcome, after.outcome) for before, after in paired.common.values()] == [
        ("correct", "wrong"),
        ("wrong", "not_asked"),
    ]
    assert (len(paired.before), len(paired.after), paired.mismatched) == (3, 2, 0)
    [first, second] = paired.common.values()
    assert [first[0].correct, second[1].measured] == [True, False]


def test_another_version_of_the_family_asks_something_else() -> None:
    paired = pairs(joined(run("correct", "wrong")), joined(run("correct", "wrong", version=2)))
    assert (paired.common, paired.mismatched) == ({}, 2)


def test_what_was_kept_without_text_is_paired_by_its_key() -> None:
    kept, other = joined(run("correct", expected=None)), joined(run("correct", expected="9"))
    assert len(pairs(kept, other).common) == 1
    assert pairs(joined(run("correct", expected="7")), other).mismatched == 1


def test_rows_are_grouped_by_family_and_subject() -> None:
    rows = joined(run("correct"), run("correct", "wrong", model="other"), run("wrong", family="passkey"))
    by_name = by_family(rows)
    assert {family: [len(group) for group in groups.values()] for family, groups in by_name.items()} == {
        "line_retrieval": [1, 2],
        "passkey": [1],
    }
