"""The running counts of an asking pass, as its progress line shows them."""

import pytest

from longctx.live.display import Tally, time_left
from longctx.stats.rates import Rate


def test_rates_add_up_by_test_and_model() -> None:
    tally = Tally(10)
    tally.add("passkey", "toy", Rate(3, 4))
    tally.add("line_retrieval", "toy", Rate(0, 1))
    tally.add("passkey", "other", Rate(0, 0))
    tally.add("passkey", "toy", Rate(1, 4))
    assert tally.rate_lines() == [
        ("passkey on toy", "4 of 8 correct, 0.50 [0.22, 0.78]"),
        ("line_retrieval on toy", "0 of 1 correct, 0.00 [0.00, 0.79]"),
    ]


@pytest.mark.parametrize(
    ("seconds", "done", "left"),
    [(30, 1, "about 0:01:30 left"), (30, 3, "about 0:00:10 left"), (90_000, 2, "about 1 day, 1:00:00 left")],
)
def test_time_left_is_at_the_pace_so_far(seconds: float, done: int, left: str) -> None:
    assert time_left(seconds, done, total=4) == left


def test_time_left_is_of_the_work_where_that_is_known() -> None:
    assert Tally(10, done=9).left(90) == "about 0:00:10 left"
    assert Tally(10, work=1000, done=9, work_done=100).left(90) == "about 0:13:30 left"


@pytest.mark.parametrize("done", [0, 4])
def test_there_is_no_time_left_to_tell_at_the_beginning_and_the_end(done: int) -> None:
    assert time_left(30, done, total=4) is None
