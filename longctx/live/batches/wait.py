"""How long is waited, and by which clock: one that tests can turn."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

FIRST_POLL_S = 1.0
LONGEST_POLL_S = 60.0
FRESH_S = 600.0
"""So long after its creation a batch that the server does not know may yet become known."""
SETTLE_S = 60.0
"""So long after a request to create a batch may have been sent, a batch that is not listed may yet be."""
KEPT = datetime.timedelta(days=29)
"""How long the Anthropic API keeps results, from the creation of their batch."""


def utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    now: Callable[[], datetime.datetime] = utc_now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def seconds_since(self, moment: datetime.datetime) -> float:
        return (self.now() - moment).total_seconds()


REAL = Clock()


def polls() -> Iterator[float]:
    """Seconds between looks at a batch: each twice as long as the one before, up to the longest."""
    pause = FIRST_POLL_S
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_POLL_S)


def stamp(moment: datetime.datetime) -> str:
    """As the tape has it: ISO 8601 in UTC, to the second."""
    return moment.astimezone(datetime.UTC).isoformat(timespec="seconds")
