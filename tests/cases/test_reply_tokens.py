"""The mean length of replies."""

from __future__ import annotations

from longctx.cases.case import ReplyTokens


def test_it_is_the_mean_of_three_answers_or_more() -> None:
    replies = ReplyTokens.of([90, 110, 100])
    assert replies == ReplyTokens(100, 3)
    assert str(replies) == "100 tokens"
    assert ReplyTokens.of([90, 110]) is None
