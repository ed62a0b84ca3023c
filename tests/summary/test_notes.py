"""Answers that another model gave than was asked for, and cells whose rate is low because replies were cut off."""

from __future__ import annotations

import pytest

from longctx.results.row import Row, Subject
from longctx.summary.summary import Answered, Truncated, answered_as_another, truncated
from tests.rows import row


def answers(*answers: tuple[str, str | None]) -> list[Row]:
    return [row(model=model, model_returned=returned) for model, returned in answers]


def test_each_other_model_is_counted() -> None:
    answered_rows = answers(("a", "a"), ("a", "b"), ("a", "c"), ("a", "b"), ("d", "d"))
    assert answered_as_another(answered_rows, {}) == (Answered("a", "b", 2, 4), Answered("a", "c", 1, 4))


def test_the_id_that_the_provider_was_sent_is_what_was_asked_for() -> None:
    assert answered_as_another(answers(("opus-low", "opus")), {"opus-low": "opus"}) == ()
    assert answered_as_another(answers(("opus-low", "toy")), {"opus-low": "opus"}) == (
        Answered("opus-low", "toy", 1, 1),
    )


def test_an_answer_that_names_no_model_says_nothing() -> None:
    assert answered_as_another(answers(("a", None), ("a", "")), {}) == ()
    assert answered_as_another(answers(), {}) == ()


def test_a_trial_that_asks_two_models_compares_each_reply_with_the_one_asked_for() -> None:
    router = row(model="a", model_returned="a, b", answered_by={"a": "a", "b": "b"})
    assert answered_as_another([router], {}) == ()
    moved = row(model="a", model_returned="a, b-2", answered_by={"a": "a", "b": "b-2"})
    assert answered_as_another([router, moved, *answers(("a", "c"))], {}) == (
        Answered("b", "b-2", 1, 2),
        Answered("a", "c", 1, 3),
    )


def replies(*outcomes: str, **fields: object) -> list[Row]:
    return [
        row(outcome, trial=trial, stop_reason="max_tokens", output_tokens=10 + trial, **fields)
        for trial, outcome in enumerate(outcomes)
    ]


def test_the_first_of_them_leads_to_the_others() -> None:
    made = replies("correct", "truncated", "truncated", "wrong")
    [group] = truncated(made)
    expected = Truncated("line_retrieval", Subject("some-model", "protocol"), 2, 4, (11, 12), False, "lines-5", "1")
    assert group == expected


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({"truncated": 1}, True),
        ({"truncated": 1, "correct": 19}, True),
        ({"truncated": 1, "correct": 20}, False),
        ({"truncated": 5, "wrong": 5, "correct": 10}, True),
        ({"truncated": 5, "wrong": 3, "unparseable": 3, "correct": 10}, False),
        ({"correct": 1}, False),
    ],
)
def test_it_is_worth_a_word_where_it_is_most_of_what_is_not_right(counts: dict[str, int], told: bool) -> None:
    outcomes = [outcome for outcome, number in counts.items() for _ in range(number)]
    assert bool(truncated(replies(*outcomes))) == told


def test_tests_are_distinguished() -> None:
    other = {"test": "passkey", "cell": "window-400-k-40", "params": {"window": 400, "k": 40}}
    groups = truncated([*replies("correct"), *replies("truncated", **other)])
    assert [(group.test, group.number, group.of) for group in groups] == [("passkey", 1, 1)]


def test_a_full_window_is_another_matter_than_max_tokens() -> None:
    full = row("truncated", stop_reason="model_context_window_exceeded", output_tokens=3)
    [group] = truncated([full])
    assert group.full
