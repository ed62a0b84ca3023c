"""Answers that name another model than was asked for."""

from __future__ import annotations

from longctx.results.row import Row
from longctx.summary.answered import Answered, answered_as_another
from tests.rows import row


def rows(*answers: tuple[str, str | None]) -> list[Row]:
    return [row(model=model, model_returned=returned) for model, returned in answers]


def test_each_other_model_is_counted() -> None:
    answered_rows = rows(("a", "a"), ("a", "b"), ("a", "c"), ("a", "b"), ("d", "d"))
    assert answered_as_another(answered_rows, {}) == (Answered("a", "b", 2, 4), Answered("a", "c", 1, 4))


def test_the_id_that_the_provider_was_sent_is_what_was_asked_for() -> None:
    assert answered_as_another(rows(("opus-low", "opus")), {"opus-low": "opus"}) == ()
    assert answered_as_another(rows(("opus-low", "toy")), {"opus-low": "opus"}) == (Answered("opus-low", "toy", 1, 1),)


def test_an_answer_that_names_no_model_says_nothing() -> None:
    assert answered_as_another(rows(("a", None), ("a", "")), {}) == ()
    assert answered_as_another(rows(), {}) == ()
