"""What labels say of a judge: which accuracy its word decides, and how often it is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from longctx.compare.judges import graded_tests
from longctx.results.row import AGREEMENT, GRADED, Row
from tests.rows import row


def trial(
    number: int, said: str, label: str = "", *, family: str = "test_tone", right: bool | None = None
) -> list[Row]:
    """Return the row of a trial, that of its check, and that of a label if there is one."""
    right = said == "Y" if right is None else right
    asked: dict[str, Any] = {"family": family, "trial": number, "item": f"case-{number}"}
    own = row("correct" if right else "wrong", trace={f"{GRADED}: {said}" if said else GRADED: 1}, **asked)
    held = replace(own, family=f"{family}.polite", outcome="correct" if said == "Y" else "wrong", trace={})
    agrees = "correct" if said == label else "wrong"
    labelled = replace(own, family=f"{family}.{AGREEMENT}", outcome=agrees, trace={}, returned=said, expected=label)
    return [own, held, *([labelled] if label else [])]


def rows(*trials: tuple[str, str], **given: Any) -> list[Row]:
    return [each for number, (said, label) in enumerate(trials) for each in trial(number, said, label, **given)]


LABELLED = [("Y", "Y")] * 6 + [("N", "Y")] * 2 + [("Y", "N")] + [("N", "N")] * 3


def test_errors_are_counted_by_what_people_say() -> None:
    (found,) = graded_tests(rows(*LABELLED, ("Y", ""), ("Y", "")))
    assert found.family == found.function == "test_tone"
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
    assert (found.family, found.function) == ("test_tone.polite", "test_tone")
    assert found.errors.labels == 12


def test_nothing_is_corrected_that_the_judge_does_not_decide() -> None:
    given = [each for each in rows(*LABELLED) if not each.family.endswith("polite")]
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
    (found,) = graded_tests([*rows(("Y", ""), ("N", "")), row(family="test_other")])
    assert (found.family, found.agreement.n, found.errors.usable) == ("test_tone", 0, False)


def test_each_model_has_its_own() -> None:
    own = rows(*LABELLED)
    assert len(graded_tests([*own, *(replace(each, model="other") for each in own)])) == 2
