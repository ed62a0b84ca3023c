"""How long a run waits for its batches."""

from __future__ import annotations

import datetime
from itertools import islice

from longctx.live.batches.collect import Clock, seconds_between_looks, stamp
from tests.batch_server import Turned


def test_a_batch_is_looked_at_ever_more_rarely() -> None:
    assert list(islice(seconds_between_looks(), 9)) == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_the_clock() -> None:
    turned = Turned()
    clock = Clock(turned.now, turned.sleep)
    began = clock.now()
    turned.moment += datetime.timedelta(minutes=2)
    assert clock.seconds_since(began) == 120
    assert Clock().seconds_since(Clock().now()) < 60


def test_a_moment_is_shown_in_utc_to_the_second() -> None:
    east = datetime.timezone(datetime.timedelta(hours=2))
    assert stamp(datetime.datetime(2026, 1, 1, 2, 0, 0, 7, tzinfo=east)) == "2026-01-01T00:00:00+00:00"
