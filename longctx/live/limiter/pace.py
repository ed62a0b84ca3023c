"""The time at which a server may be asked again, from its headers."""

from __future__ import annotations

import datetime
import email.utils
import math
from collections.abc import Callable, Mapping

from longctx import clocks

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
