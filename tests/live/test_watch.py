"""Silences of the asking pass: each is told, and told again when it has lasted twice as long."""

from __future__ import annotations

import asyncio

import pytest

from longctx.live.watch import Watch


class Clock:
    """A loop's clock and its timers; time passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._timers: list[tuple[float, asyncio.TimerHandle]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, call: object, *given: object) -> asyncio.TimerHandle:
        loop = asyncio.new_event_loop()
        handle = asyncio.TimerHandle(self.now + delay, call, given, loop)  # type: ignore[arg-type]
        loop.close()
        self._timers.append((self.now + delay, handle))
        return handle

    def passes(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [one for one in self._timers if one[0] <= end and not one[1].cancelled()]:
            first = min(due, key=lambda one: one[0])
            self._timers.remove(first)
            self.now = first[0]
            first[1]._run()
        self.now = end


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watch(clock: Clock, told: list[tuple[float, str]]) -> Watch:
    return Watch(lambda: "an answer", lambda silent_s, what: told.append((silent_s, what)), clock)


def test_a_silence_is_told_ever_more_rarely(clock: Clock) -> None:
    told: list[tuple[float, str]] = []
    one = watch(clock, told)
    one.begin()
    clock.passes(1.9)
    assert told == []
    clock.passes(30)
    assert told == [(2, "an answer"), (4, "an answer"), (8, "an answer"), (16, "an answer")]
    one.end()
    clock.passes(1000)
    assert len(told) == 4


def test_an_answer_ends_it(clock: Clock) -> None:
    told: list[tuple[float, str]] = []
    one = watch(clock, told)
    one.begin()
    for _ in range(10):
        clock.passes(1.5)
        one.begin()
    assert told == []
    clock.passes(2)
    assert [silent_s for silent_s, _ in told] == [2]
