"""The mean length of replies, with its interval."""

from __future__ import annotations

import pytest

from longctx.cases.reply_tokens import ReplyTokens, t_quantile


def test_it_is_the_mean_with_its_interval() -> None:
    replies = ReplyTokens.of([90, 110, 100])
    assert replies is not None
    assert (replies.mean, replies.answers) == (100, 3)
    assert replies.lo == pytest.approx(100 - 4.303 * 10 / 3**0.5)
    assert str(replies) == "100 tokens (75 to 125)"
    assert ReplyTokens.of([90, 110]) is None


@pytest.mark.parametrize(("degrees", "quantile"), [(2, 4.303), (3, 3.182), (9, 2.262), (199, 1.972)])
def test_the_quantile_is_students(degrees: int, quantile: float) -> None:
    assert t_quantile(degrees) == pytest.approx(quantile, rel=0.01)
