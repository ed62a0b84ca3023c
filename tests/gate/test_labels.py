"""The pairs of judged answers that tell most, and what labels make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from longctx.errors import UserError
from longctx.gate.labels import RIGHT_TWICE, JudgedPair, judged_pairs, labelled_rows, to_label
from longctx.gate.verdict import Rules, give_verdict
from longctx.results.labels import Labels
from longctx.results.row import Row
from tests.judges import rows


def run(*said: str, day: int = 1) -> list[Row]:
    """Return a run in which a judge says so of each trial."""
    recorded = f"2026-11-0{day}T00:00:00+00:00"
    return [replace(each, band="all", recorded_at=recorded) for each in rows(*((word, "") for word in said))]


BEFORE = run(*"YYYN" * 30)
AFTER = run(*"YYNY" * 30, day=2)
"""60 pairs right twice, 30 lost and 30 gained, by the judge."""


def labels(pairs: Sequence[JudgedPair], before: str, after: str) -> Labels:
    """Return labels of these pairs by place in their four: Y or N for each run."""
    said = (before, after)
    found = {
        pair.id_of(row): said[side][row.trial % 4] == "Y"
        for pair in pairs
        for side in (0, 1)
        for row in pair.rows[side]
    }
    return Labels("labels.csv", found)


def test_all_that_changed_or_is_wrong_twice_is_labelled_and_some_of_the_rest() -> None:
    before, after = run(*["Y"] * 200, "Y", "N", "N"), run(*["Y"] * 200, "N", "Y", "N", day=2)
    chosen = to_label(judged_pairs(before, after))
    assert len(chosen) == RIGHT_TWICE + 3
    assert {pair.rows.after[0].trial for pair in chosen if not pair.right_twice} == {200, 201, 202}
    sampled = [pair.key for pair in chosen if pair.right_twice]
    assert sampled != sorted(sampled)
    again = to_label(judged_pairs(before[::-1], after[::-1]))
    assert {pair.key for pair in again} == {pair.key for pair in chosen}


def test_labels_replace_the_judges_grades_of_the_trial_and_of_its_check() -> None:
    pairs = judged_pairs(BEFORE, AFTER)
    assert {pair.tests for pair in pairs} == {("test_tone", "test_tone.polite")}
    found = labelled_rows(BEFORE, AFTER, labels(to_label(pairs), "YYYN", "YYYN"))
    assert [sum(row.correct for row in side) for side in found.rows] == [180, 180]
    assert [len(of_test) for of_test in found.right_twice.values()] == [60, 60]
    lost = labelled_rows(BEFORE, AFTER, labels(to_label(pairs), "YYYN", "NYYN"))
    twice = [pair for of_test in lost.right_twice.values() for pair in of_test.values()]
    assert twice.count(((1.0,), (0.0,))) == twice.count(((1.0,), (1.0,))) == 60
    assert [sum(row.correct for row in side) for side in lost.rows] == [180, 180]


@pytest.mark.parametrize(("people", "verdict"), [(("YYYN", "YYYN"), "pass"), (("YYYN", "NYYN"), "regression")])
def test_the_verdict_is_by_labels(people: tuple[str, str], verdict: str) -> None:
    given = labels(to_label(judged_pairs(BEFORE, AFTER)), *people)
    judged = give_verdict(BEFORE, AFTER, Rules(0.1, labels=given), {})
    assert judged.verdict == verdict, judged.reasons
    assert {name for name, _ in judged.labelled} == {"test_tone", "test_tone.polite"}
    assert give_verdict(BEFORE, AFTER, Rules(0.1), {}).verdict == "inconclusive"
    [difference] = {round(band.difference, 3) for band in judged.bands}
    assert difference == (0.0 if verdict == "pass" else -0.25)


def test_labels_of_other_answers_make_the_verdict_invalid() -> None:
    given = labels(to_label(judged_pairs(BEFORE, AFTER)), "YYYN", "YYYN")
    judged = give_verdict(BEFORE, [replace(row, recorded_at="2026-11-09") for row in AFTER], Rules(labels=given), {})
    assert judged.verdict == "invalid"
    assert judged.reasons[0].endswith("[labels-of-another-run]")


def test_what_the_judge_does_not_decide_has_no_labels() -> None:
    other = [replace(row, outcome="correct") if row.trial < 9 else row for row in AFTER]
    assert judged_pairs(BEFORE, [row for row in other if row.test == "test_tone"]) == []
    with pytest.raises(UserError, match="nothing-to-label"):
        labelled_rows(BEFORE, [row for row in other if row.test == "test_tone"], Labels("labels.csv", {"a": True}))


def test_a_trial_that_ended_before_the_judge_was_asked_is_labelled_too() -> None:
    ended = [
        replace(row, outcome="truncated", trace={}) if row.trial == 0 and row.test == "test_tone" else row
        for row in AFTER
    ]
    [pair] = [pair for pair in judged_pairs(BEFORE, ended) if pair.rows.after[0].trial == 0]
    assert not pair.right_twice
