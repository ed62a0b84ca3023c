"""Judging that tests share: answers without what was asked for, and the first number in an answer."""

import pytest

from longctx.vocabulary.judging import cut_within, first_integer, unanswered
from tests.given import reply


@pytest.mark.parametrize(
    ("text", "stop_reason", "kind", "why"),
    [
        ("I cannot tell.", "refusal", "refusal", "the model refused"),
        ("", "refusal", "refusal", "the model refused"),
        ("I think", "max_tokens", "truncated", "cut off after 16 tokens, before an answer"),
        (
            "I think",
            "model_context_window_exceeded",
            "truncated",
            "cut off after 16 tokens, with the window full, before an answer",
        ),
        ("Let me see.", "pause_turn", "unparseable", "the model paused its turn, before an answer"),
        ("", "tool_use", "unparseable", "the model called a tool, and gave no answer"),
        ("I cannot tell.", "end_turn", "unparseable", "no number in the reply"),
        ("I cannot tell.", None, "unparseable", "no number in the reply"),
        ("I cannot tell.", "a_reason_of_tomorrow", "unparseable", "no number in the reply"),
        (" \n", "end_turn", "unparseable", "an empty reply"),
    ],
)
def test_a_reply_without_an_answer_says_why(text: str, stop_reason: str | None, kind: str, why: str) -> None:
    outcome = unanswered(reply(text, stop_reason))
    assert (outcome.kind, outcome.returned, outcome.why) == (kind, None, why)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12345", "12345"),
        ("It is <12345>, not 54321.", "12345"),
        ("\n\n 7\n", "7"),
        ("x12y34", "12"),
        ("no number", None),
        ("", None),
        ("\uff19\uff18", None),
    ],
)
def test_the_first_run_of_ascii_digits_is_the_number(text: str, number: str | None) -> None:
    read = first_integer(reply(text))
    assert (read and read[0]) == number


@pytest.mark.parametrize(
    ("text", "stop_reason", "cut"),
    [
        ("It is 123", "max_tokens", True),
        ("It is 123.", "max_tokens", False),
        ("123 or", "max_tokens", False),
        ("12 or 34", "max_tokens", False),
        ("It is 123", "end_turn", False),
        ("It is 123", "model_context_window_exceeded", True),
    ],
)
def test_a_number_that_ends_a_truncated_reply_may_be_cut(text: str, stop_reason: str, cut: bool) -> None:
    answer = reply(text, stop_reason)
    read = first_integer(answer)
    assert read is not None
    outcome = cut_within(read, answer)
    assert (outcome is not None) is cut
    assert outcome is None or (outcome.kind, outcome.returned) == ("truncated", "123")
