"""What labels say of a judge: which accuracy its word decides, and how often it is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.compare.judges import graded_tests
from tests.judges import LABELLED, rows
from tests.rows import row


def test_errors_are_counted_by_what_people_say() -> None:
    (found,) = graded_tests(rows(*LABELLED, ("Y", ""), ("Y", "")))
    assert found.test == found.function == "test_tone"
    assert (found.errors.on_right.correct, found.errors.on_right.n) == (2, 8)
    assert (found.errors.on_wrong.correct, found.errors.on_wrong.n) == (1, 4)
    assert (found.shown.correct, found.shown.n) == (9, 14)
    assert (found.agreement.correct, found.agreement.n) == (9, 12)
    assert found.kappa[0] == pytest.approx((9 / 12 - 0.5278) / (1 - 0.5278), abs=1e-3)
    assert found.accuracy[0] == pytest.approx((9 / 14 - 0.25) / 0.5)
    assert not found.known(0.05)


def test_a_check_is_corrected_where_the_judge_decides_it_but_not_the_trial() -> None:
    given = rows(*LABELLED)
    given[0] = replace(given[0], outcome="wrong")  # it failed at something else
    (found,) = graded_tests(given)
    assert (found.test, found.function) == ("test_tone.polite", "test_tone")
    assert found.errors.labels == 12


def test_nothing_is_corrected_that_the_judge_does_not_decide() -> None:
    given = [each for each in rows(*LABELLED) if not each.test.endswith("polite")]
    given[0] = replace(given[0], outcome="wrong")
    (found,) = graded_tests(given)
    assert not found.errors.labels
    assert found.agreement.n == 12


def test_labels_in_another_case_are_the_same() -> None:
    (found,) = graded_tests(rows(*((said, label.lower()) for said, label in LABELLED)))
    assert found.errors.on_right.n == 8


def test_a_run_that_keeps_no_text_has_no_errors() -> None:
    kept = [replace(each, returned=None, expected=None) for each in rows(*LABELLED)]
    (found,) = graded_tests(kept)
    assert not found.errors.labels


def test_without_labels_it_is_graded_all_the_same_and_others_are_not() -> None:
    (found,) = graded_tests([*rows(("Y", ""), ("N", "")), row(test="test_other")])
    assert (found.test, found.agreement.n, found.errors.usable) == ("test_tone", 0, False)


def test_each_model_has_its_own() -> None:
    own = rows(*LABELLED)
    assert len(graded_tests([*own, *(replace(each, model="other") for each in own)])) == 2
