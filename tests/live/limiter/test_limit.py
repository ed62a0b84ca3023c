"""The adaptive concurrency limit, round by round, with a simulated server that answers a given number at once."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.live.limiter import ONE_BY_ONE, Limit


def a_round(limit: Limit, bears: int) -> int:
    """Send as many requests as allowed, of which the server answers `bears`; return how many it answered."""
    sent = int(limit.allowed)
    changes = limit.changes
    for place in range(sent):
        if place < bears:
            limit.answered()
        else:
            limit.refused(changes)
    return min(sent, bears)


def in_time(
    limit: Limit, slots: float, answer_s: float, answers: int, sent: float = math.inf, **of: float
) -> list[int]:
    """Return the limits, one after another, with a server that answers `slots` requests at once, each in `answer_s`.

    sent: the most requests that there are to send at once.
    """
    levels, ends, now, started = [int(limit.allowed)], list[tuple[float, int]](), 0.0, 0
    free = [0.0] * int(min(slots, limit.ceiling))
    while answers > 0:
        while len(ends) < min(int(limit.allowed), sent):
            place = min(range(len(free)), key=free.__getitem__)
            free[place] = max(free[place], now) + answer_s
            ends.append((free[place], started := started + 1))
            limit.in_flight(len(ends), now)
        now, number = min(ends)
        ends.remove((now, number))
        limit.answered(now, number=number, **of)
        limit.in_flight(len(ends), now)
        answers -= 1
        if int(limit.allowed) != levels[-1]:
            levels.append(int(limit.allowed))
    return levels


def test_it_starts_with_sixteen_and_doubles_while_answers_come_faster() -> None:
    assert in_time(Limit(32), math.inf, 2.0, answers=17) == [16, 32], "judged by the first answers"
    assert in_time(Limit(24), math.inf, 2.0, answers=200) == [16, 24]
    assert in_time(Limit(3), math.inf, 2.0, answers=200) == [3]


@pytest.mark.parametrize(
    ("slots", "levels"), [(2, [4, 8, 4]), (4, [4, 8, 4]), (8, [4, 8, 16, 8]), (16, [4, 8, 16, 32, 16])]
)
def test_a_doubling_that_gives_nothing_is_taken_back(slots: int, levels: list[int]) -> None:
    limit = Limit(32, start=4)
    assert in_time(limit, slots, 2.0, answers=sum(levels) * 2) == levels
    assert limit.fell == f"{levels[-2]} were no faster"


def test_it_is_tried_again_later_and_ever_later() -> None:
    limit = Limit(32, start=4)
    assert in_time(limit, 4, 2.0, answers=120) == [4, 8, 4, 8, 4]


def test_a_server_that_answers_one_at_a_time_gets_one_at_a_time() -> None:
    limit = Limit(32)
    assert in_time(limit, 1, 2.0, answers=ONE_BY_ONE + 1) == [16, 1]
    assert limit.fell == "it answers one at a time"
    assert in_time(limit, 1, 2.0, answers=60) == [1, 2, 1, 2, 1]


@pytest.mark.parametrize("slots", [2, 4, math.inf])
def test_a_server_that_answers_several_at_once_is_not_taken_for_one(slots: float) -> None:
    assert 1 not in in_time(Limit(32), slots, 2.0, answers=60)


def test_answers_in_another_order_are_not_of_one_at_a_time() -> None:
    limit = Limit(32)
    limit.in_flight(16, 0.0)
    for place, number in enumerate((9, 2, 14, 5, 1, 7), start=1):
        limit.answered(2.0 * place, number=number)
    assert limit.allowed == 16


def test_a_rate_limit_states_the_start() -> None:
    limit = Limit(32)
    limit.stated(5)
    assert limit.allowed == 5
    limit.stated(900)
    assert limit.allowed == 32
    limit.refused(0)
    limit.stated(900)
    assert limit.allowed == 16, "not after a refusal"


def test_where_there_is_little_to_send_nothing_is_concluded() -> None:
    assert in_time(Limit(32), math.inf, 2.0, answers=200, sent=2) == [16]


def test_a_pause_between_two_passes_is_no_slowness() -> None:
    limit = Limit(32, start=4)
    assert in_time(limit, math.inf, 2.0, answers=9) == [4, 8]
    limit.in_flight(0, 8.0)
    limit.in_flight(0, 5000.0)
    limit.in_flight(1, 5000.0)
    limit.in_flight(0, 5002.0)
    assert in_time(limit, math.inf, 2.0, answers=24)[-1] == 16


def test_it_does_not_double_where_answers_would_come_too_late() -> None:
    """With a server that queues, an answer takes twice as long with twice as many in flight."""
    assert in_time(Limit(32), 4, 20.0, answers=140, timeout_s=600) == [16, 32, 16]
    assert in_time(Limit(32), 4, 20.0, answers=140, timeout_s=300) == [16]


def test_a_refusal_ends_the_doubling_and_is_told() -> None:
    limit = Limit(16)
    in_time(limit, math.inf, 2.0, answers=40)
    assert int(limit.allowed) == 16
    limit.refused(0, "429")
    assert (limit.allowed, limit.fell) == (8, "16 before a 429")
    in_time(limit, math.inf, 2.0, answers=200)
    assert (int(limit.allowed), limit.fell) == (16, "")


def test_one_overload_halves_it_once() -> None:
    limit = Limit(64, start=64)
    for _ in range(10):
        limit.refused(0)
    assert limit.allowed == 32
    limit.refused(1)
    assert limit.allowed == 16


def test_it_never_falls_below_one_request() -> None:
    limit = Limit(3)
    for changes in range(20):
        limit.refused(changes)
    assert limit.allowed == 1


def test_it_comes_back_close_to_what_was_refused_and_tries_that_again() -> None:
    limit = Limit(64, start=64)
    limit.refused(0)
    rounds = [a_round(limit, 1000) and int(limit.allowed) for _ in range(8)]
    assert rounds[:4] == sorted(rounds[:4])
    assert rounds[3] >= 60
    assert rounds[7] == 64


def test_a_limit_that_then_holds_was_one_of_a_rate_and_doubles_on() -> None:
    limit = Limit(64, start=16)
    limit.refused(0)
    assert 64 in in_time(limit, math.inf, 2.0, answers=500)
    assert limit.refused_at == math.inf


def test_a_limit_that_is_refused_again_is_the_servers_and_tried_ever_more_seldom() -> None:
    limit = Limit(64, start=16)
    sent = [int(limit.allowed) for _ in range(300) if a_round(limit, 10)]
    refused = [place for place, number in enumerate(sent) if number == 11 and place >= 30]
    assert set(sent[30:]) == {10, 11}
    gaps = [after - before for before, after in pairwise(refused)]
    assert gaps == sorted(gaps)
    assert gaps[-1] > 30


@pytest.mark.parametrize("bears", [2, 5, 10, 20, 50])
def test_it_keeps_a_server_busy_and_is_seldom_refused(bears: int) -> None:
    limit = Limit(64, start=64)
    for _ in range(30):
        a_round(limit, bears)
    sent = answered = 0
    for _ in range(300):
        sent += int(limit.allowed)
        answered += a_round(limit, bears)
    assert answered >= 0.95 * 300 * bears
    assert sent - answered <= 0.02 * sent


@pytest.mark.parametrize(("before", "after"), [(8, 64), (40, 64), (2, 64)])
def test_it_finds_that_a_server_bears_more(before: int, after: int) -> None:
    limit = Limit(64, start=64)
    for _ in range(50):
        a_round(limit, before)
    for _ in range(150):
        a_round(limit, after)
    assert a_round(limit, after) == after


@given(st.integers(1, 100), st.lists(st.booleans(), max_size=300))
def test_whatever_happens_it_stays_between_one_and_its_ceiling(ceiling: int, good: list[bool]) -> None:
    limit = Limit(ceiling)
    for is_good in good:
        if is_good:
            limit.answered()
        else:
            limit.refused(limit.changes)
        assert 1 <= limit.allowed <= ceiling


def test_it_holds_for_the_longest_that_was_asked_for() -> None:
    limit = Limit(4)
    limit.hold(7.0)
    limit.hold(3.0)
    assert limit.held_until == 7.0
