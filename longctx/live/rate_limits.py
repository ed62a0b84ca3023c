"""What a server states about its rate limits: how long to wait, and how many requests it has room for."""

from __future__ import annotations

import datetime
import email.utils
import math
from collections.abc import Callable, Mapping

from longctx import clocks

PREFIX = "anthropic-ratelimit-"
HTTP_DATE = email.utils.parsedate_to_datetime


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks to wait, from `retry-after-ms` or `retry-after`; None without either.

    The value of `retry-after` is a number of seconds or an HTTP date.
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return max(seconds / unit, 0.0)
    until = moment(HTTP_DATE, headers.get("retry-after"))
    if until is None:
        return None
    return max((until - _now(headers)).total_seconds(), 0.0)


def retry_info_s(body: object) -> float | None:
    """Return the seconds that the body of a Google API's error asks to wait, in a RetryInfo; None without one."""
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        seconds = _number(delay.removesuffix("s")) if isinstance(delay, str) else None
        if seconds is not None:
            return max(seconds, 0.0)
    return None


def room_in_s(headers: Mapping[str, str], tokens: int) -> float:
    """Return the seconds until the rate limits in the headers have room for one more request with `tokens` of input.

    The limits are buckets that fill steadily until `-reset`, as Anthropic documents them. 0 without such headers.
    """
    needs = {"requests": 1, "input-tokens": tokens, "tokens": tokens}
    waits = [_bucket_s(headers, f"{PREFIX}{name}", need) for name, need in needs.items()]
    return max(waits)


def stated_start(headers: Mapping[str, str]) -> float | None:
    """Return how many requests the headers of a rate limit have room for now; None if they state none."""
    for name in (f"{PREFIX}requests-remaining", "x-ratelimit-remaining-requests"):
        if (remaining := _number(headers.get(name))) is not None and remaining >= 1:
            return remaining
    return None


def _bucket_s(headers: Mapping[str, str], name: str, need: int) -> float:
    limit, remaining = _number(headers.get(f"{name}-limit")), _number(headers.get(f"{name}-remaining"))
    full = moment(datetime.datetime.fromisoformat, headers.get(f"{name}-reset"))
    if limit is None or remaining is None or full is None or remaining >= need or limit <= remaining:
        return 0.0
    return max((full - _now(headers)).total_seconds(), 0.0) * min(1.0, (need - remaining) / (limit - remaining))


def _now(headers: Mapping[str, str]) -> datetime.datetime:
    """Return the time by the server's clock if it sends it, because its other times follow that clock."""
    return moment(HTTP_DATE, headers.get("date")) or clocks.now()


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def moment(read: Callable[[str], datetime.datetime], text: str | None) -> datetime.datetime | None:
    """Return the time that a server wrote, in UTC if it names no zone; None if it cannot be read."""
    try:
        when = read(text or "")
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo else when.replace(tzinfo=datetime.UTC)
