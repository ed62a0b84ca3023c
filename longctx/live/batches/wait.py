"""The waiting times for batches, and the clock that measures them, which tests can replace."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from longctx import clocks

FIRST_POLL_S = 1.0
LONGEST_POLL_S = 60.0
FRESH_S = 600.0
"""The seconds after its creation during which a server may not know a batch yet."""
SETTLE_S = 60.0
"""The seconds after a request to create a batch during which the batch may not be listed yet."""
KEPT = datetime.timedelta(days=29)
"""How long the Anthropic API keeps results after the creation of their batch."""


def utc_now() -> datetime.datetime:
    return clocks.now()


@dataclass(frozen=True, slots=True)
class Clock:
    now: Callable[[], datetime.datetime] = utc_now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def seconds_since(self, moment: datetime.datetime) -> float:
        return (self.now() - moment).total_seconds()


REAL = Clock()


def polls() -> Iterator[float]:
    """Yield the seconds between looks at a batch, which double up to the longest."""
    pause = FIRST_POLL_S
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_POLL_S)


def stamp(moment: datetime.datetime) -> str:
    """Return a time as the tape writes it: ISO 8601 in UTC, to the second."""
    return moment.astimezone(datetime.UTC).isoformat(timespec="seconds")
