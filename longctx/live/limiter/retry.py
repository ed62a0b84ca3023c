"""How often a request is sent again, and after what pause."""

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
"""Cause -> how often a trial is sent at most. Of other causes a second request would meet the same."""
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0

_jitter = random.SystemRandom()


def sent_again(cause: str, attempts: int) -> bool:
    """Whether a trial that failed by `cause`, having been sent so often, is sent again."""
    return attempts < ATTEMPTS.get(cause, 1)


def pause_s(attempts: int) -> float:
    """Seconds before the next attempt: twice as long each time, of which a random half is waited at least."""
    longest = min(FIRST_PAUSE_S * 2 ** (attempts - 1), LONGEST_PAUSE_S)
    return float(longest * _jitter.uniform(0.5, 1.0))
