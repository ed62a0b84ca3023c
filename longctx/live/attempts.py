"""How often a request is sent again, and after which pause."""

from __future__ import annotations

import random

ATTEMPTS = {
    "rate_limit": 10,
    "overloaded": 10,
    "connection": 5,
    "server_error": 5,
    "timeout": 3,
    "malformed_answer": 3,
}
"""The most attempts in a row for each cause. After any other cause a second request would fail in the same way.

Before the run ends, a request that used them up is sent again, in as many attempts: a server may have come back.
"""
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0

_jitter = random.SystemRandom()


def sent_again(cause: str, attempts: int) -> bool:
    """Return whether to send a request again that has failed for `cause` after this number of attempts."""
    return attempts < ATTEMPTS.get(cause, 1)


def passing(cause: str) -> bool:
    """Return whether a request that failed for `cause` may be answered later."""
    return cause in ATTEMPTS


def pause_s(attempts: int) -> float:
    """Return the seconds before the next attempt: they double each time, and up to half is left out at random."""
    longest = min(FIRST_PAUSE_S * 2 ** (attempts - 1), LONGEST_PAUSE_S)
    return float(longest * _jitter.uniform(0.5, 1.0))


MOST_S = 600.0
"""The longest pause in seconds that a run waits for: a longer one ends it."""
