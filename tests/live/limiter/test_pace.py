"""The pause that the headers of an answer ask for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.live.rate_limits import PREFIX, retry_after_s, room_in_s

DATE = "Sun, 22 Nov 2026 10:00:00 GMT"
RESET = "2026-11-22T10:01:00Z"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "86400"}, 86400),
        ({"retry-after-ms": "86400000"}, 86400),
        ({"retry-after": "Mon, 23 Nov 2026 10:00:00 GMT", "date": DATE}, 86400),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Fri, 31 Dec 99999999999 23:59:59 GMT"}, None),
        ({"retry-after": "3", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Sun, 22 Nov 2026 10:00:07 GMT", "date": DATE}, 7),
        ({"retry-after": "Sun, 22 Nov 2026 09:00:00 GMT", "date": DATE}, 0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def bucket(name: str, limit: int, remaining: int, reset: str = RESET) -> dict[str, str]:
    headers = {"limit": str(limit), "remaining": str(remaining), "reset": reset}
    return {f"{PREFIX}{name}-{key}": value for key, value in headers.items()}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        (bucket("requests", 50, 1), 0),
        (bucket("requests", 50, 0), 60 / 50),
        (bucket("input-tokens", 100_000, 7_000), 0),
        (bucket("input-tokens", 100_000, 0), 60 * 7_000 / 100_000),
        (bucket("input-tokens", 100_000, 2_000), 60 * 5_000 / 98_000),
        (bucket("tokens", 5_000, 0), 60),  # a request that is larger than the bucket
        (bucket("requests", 50, 0) | bucket("tokens", 10_000, 0), 42),
        (bucket("requests", 50, 0, "2026-11-22T09:00:00Z"), 0),
        (bucket("requests", 50, 0, "soon"), 0),
        (bucket("requests", 0, 0), 0),
        (bucket("requests", 1, 0, "2026-11-23T10:00:00Z"), 86400),
    ],
)
def test_a_bucket_is_waited_for_until_it_holds_one_request(headers: dict[str, str], seconds: float) -> None:
    assert room_in_s({"date": DATE, **headers}, tokens=7_000) == pytest.approx(seconds)


@given(st.dictionaries(st.sampled_from([*bucket("requests", 1, 1), "retry-after", "date"]), st.text()), st.integers(0))
def test_nonsense_is_a_number_of_seconds(headers: dict[str, str], tokens: int) -> None:
    assert 0 <= room_in_s(headers, tokens) < math.inf
    assert 0 <= (retry_after_s(headers) or 0) < math.inf
