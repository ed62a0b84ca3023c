"""The concurrency limit: the most requests in flight, which adapts to what the server accepts.

A refused request halves the limit, as in TCP. With each round of answers the limit then closes nearly two thirds of the
gap to one less than was refused, stays close to it, and then grows ever faster: the growth of CUBIC (RFC 9438) with a
steeper recovery. Pauses that the server asks for (`retry-after`, the headers of its rate limits) are kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import email.utils
import math
import random
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

from longctx import clocks

PLATEAU = 90.0
"""The limit exceeds the one that was last refused by r³/(3·PLATEAU²) requests r rounds after the refusal."""


@dataclass(slots=True)
class Limit:
    """The adaptive limit. Times are seconds of the caller's clock. A round is as many answers as the limit allows."""

    ceiling: int
    """The most requests ever."""
    allowed: float = field(init=False)
    """The current limit."""
    refused_at: float = field(init=False)
    """The limit at the last refusal."""
    held_until: float = 0.0
    """The time before which nothing is sent."""
    changes: int = 0
    """How often the limit was halved; each request remembers this number, so that one overload halves the limit
    once."""
    _rounds: float = 0.0
    """The rounds since the last refusal."""

    def __post_init__(self) -> None:
        self.allowed = self.refused_at = float(self.ceiling)

    def answered(self) -> None:
        """Note that a request was answered."""
        self._rounds += 1 / self.allowed
        gap = self.refused_at - 1 - self.allowed
        growth = max(gap, (self._rounds / PLATEAU) ** 2)
        self.allowed = min(self.ceiling, self.allowed + growth / self.allowed)

    def refused(self, changes: int) -> None:
        """Note that an overloaded server refused a request, which was sent after `changes` halvings."""
        if changes == self.changes:
            self.changes += 1
            self.refused_at = self.allowed
            self.allowed = max(1.0, self.allowed / 2)
            self._rounds = 0.0

    def hold(self, until: float) -> None:
        """Send nothing before this time."""
        self.held_until = max(self.held_until, until)


PREFIX = "anthropic-ratelimit-"
HTTP_DATE = email.utils.parsedate_to_datetime
MOST_S = 3600.0
"""The longest wait in seconds, whatever a header says."""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks to wait, from `retry-after-ms` or `retry-after`; None without either.

    The value of `retry-after` is a number of seconds or an HTTP date.
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return min(max(seconds / unit, 0.0), MOST_S)
    until = _moment(HTTP_DATE, headers.get("retry-after"))
    if until is None:
        return None
    return min(max((until - _now(headers)).total_seconds(), 0.0), MOST_S)


def retry_info_s(body: object) -> float | None:
    """Return the seconds that the body of a Google API's error asks to wait, in a RetryInfo; None without one."""
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        seconds = _number(delay.removesuffix("s")) if isinstance(delay, str) else None
        if seconds is not None:
            return min(max(seconds, 0.0), MOST_S)
    return None


def room_in_s(headers: Mapping[str, str], tokens: int) -> float:
    """Return the seconds until the rate limits in the headers have room for one more request with `tokens` of input.

    The limits are buckets that fill steadily until `-reset`, as Anthropic documents them. 0 without such headers.
    """
    needs = {"requests": 1, "input-tokens": tokens, "tokens": tokens}
    waits = [_bucket_s(headers, f"{PREFIX}{name}", need) for name, need in needs.items()]
    return min(max(waits), MOST_S)


def _bucket_s(headers: Mapping[str, str], name: str, need: int) -> float:
    limit, remaining = _number(headers.get(f"{name}-limit")), _number(headers.get(f"{name}-remaining"))
    full = _moment(datetime.datetime.fromisoformat, headers.get(f"{name}-reset"))
    if limit is None or remaining is None or full is None or remaining >= need or limit <= remaining:
        return 0.0
    return max((full - _now(headers)).total_seconds(), 0.0) * min(1.0, (need - remaining) / (limit - remaining))


def _now(headers: Mapping[str, str]) -> datetime.datetime:
    """Return the time by the server's clock if it sends it, because its other times follow that clock."""
    return _moment(HTTP_DATE, headers.get("date")) or clocks.now()


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _moment(read: Callable[[str], datetime.datetime], text: str | None) -> datetime.datetime | None:
    try:
        when = read(text or "")
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo else when.replace(tzinfo=datetime.UTC)


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


class Slots:
    """The requests in flight on one event loop. on_change: called with their number whenever it changes."""

    def __init__(self, limit: Limit, on_change: Callable[[int], object] = lambda taken: None) -> None:
        self._limit, self._on_change = limit, on_change
        self._changed = asyncio.Condition()
        self._closed = asyncio.Event()
        self.taken = 0

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for a slot and hold it. Yields the number of halvings of the limit so far, which `refused` takes."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.taken < int(self._limit.allowed))
            self._count(1)
        try:
            while not self._closed.is_set() and (seconds := self.held_s) > 0:
                await self.pause(seconds)
            yield self._limit.changes
        finally:
            async with self._changed:
                self._count(-1)
                self._changed.notify(2)  # its own slot, and one that an answer may have added to the limit

    def _count(self, change: int) -> None:
        self.taken += change
        self._on_change(self.taken)

    async def pause(self, seconds: float) -> None:
        """Wait for these seconds, or until the slots are closed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    def close(self) -> None:
        """End all waiting, because nothing more will be sent."""
        self._closed.set()

    def answered(self) -> None:
        """Note that a request was answered."""
        self._limit.answered()

    def refused(self, changes: int) -> None:
        """Note that a request was refused whose slot was taken after `changes` halvings of the limit."""
        self._limit.refused(changes)

    def hold(self, seconds: float) -> None:
        """Send nothing for these seconds."""
        self._limit.hold(asyncio.get_running_loop().time() + seconds)

    @property
    def held_s(self) -> float:
        """The seconds for which nothing will be sent; 0 or less if there is no pause."""
        return self._limit.held_until - asyncio.get_running_loop().time()
