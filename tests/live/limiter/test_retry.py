"""Which failures are retried, and the backoff before each retry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.live.attempts import FIRST_PAUSE_S, LONGEST_PAUSE_S, pause_s, sent_again


@pytest.mark.parametrize("cause", ["bad_key", "no_such_model", "refused_request", "context_too_long", "not_recorded"])
def test_what_would_fare_no_better_is_not_sent_again(cause: str) -> None:
    assert not sent_again(cause, 1)


@pytest.mark.parametrize(
    ("cause", "most"),
    [
        *(("rate_limit", 10), ("overloaded", 10), ("connection", 5), ("server_error", 5)),
        *(("timeout", 3), ("malformed_answer", 3)),
    ],
)
def test_attempts_are_bounded(cause: str, most: int) -> None:
    assert [sent_again(cause, attempts) for attempts in (1, most - 1, most)] == [True, most > 1, False]


def test_requests_that_failed_together_are_not_sent_again_together() -> None:
    assert len({pause_s(5) for _ in range(20)}) == 20


def test_the_first_pause_is_short_and_none_is_long() -> None:
    assert 0.25 <= pause_s(1) <= 0.5
    assert 15 <= pause_s(1000) <= 30


@given(st.integers(1, 1000))
def test_pauses_double_up_to_the_longest(attempts: int) -> None:
    longest = min(FIRST_PAUSE_S * 2 ** (attempts - 1), LONGEST_PAUSE_S)
    assert longest / 2 <= pause_s(attempts) <= longest
