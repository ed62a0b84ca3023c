"""The adaptive concurrency limit, round by round, with a simulated server that answers a given number at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.live.limiter import Limit


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


def test_it_starts_at_its_ceiling_and_stays_there() -> None:
    limit = Limit(8)
    assert [a_round(limit, 100) for _ in range(5)] == [8] * 5


def test_one_overload_halves_it_once() -> None:
    limit = Limit(64)
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


def test_it_comes_back_close_to_what_was_refused_and_lingers() -> None:
    limit = Limit(64)
    limit.refused(0)
    limit.answered()
    rounds = [a_round(limit, 1000) for _ in range(12)]
    assert rounds == sorted(rounds)
    assert rounds[5] >= 61
    assert 62 <= rounds[11] < 64


def test_it_passes_what_was_refused_ever_faster() -> None:
    """CUBIC's curve: r rounds after a refusal, the limit exceeds the refused one by r³/(3·90²) requests."""
    limit = Limit(1000)
    limit.allowed = 101.0
    limit.refused(0)
    passed = []
    for _ in range(3):
        for _ in range(60):
            a_round(limit, 1000)
        passed.append(limit.allowed - 100)
    assert passed == pytest.approx([9, 71, 240], rel=0.05)


@pytest.mark.parametrize("bears", [2, 5, 10, 20, 50])
def test_it_keeps_a_server_busy_and_is_seldom_refused(bears: int) -> None:
    limit = Limit(64)
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
    limit = Limit(64)
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
