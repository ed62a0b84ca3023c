"""Silences of the asking pass: each is reported, and again each time it has lasted twice as long."""

from __future__ import annotations

import asyncio

import pytest

from longctx.live.watch import Watch


class Clock:
    """The clock and the timers of an event loop; the test says when time passes."""

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
        while due := [timer for timer in self._timers if timer[0] <= end and not timer[1].cancelled()]:
            first = min(due, key=lambda timer: timer[0])
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
    reported: list[tuple[float, str]] = []
    silence = watch(clock, reported)
    silence.begin()
    clock.passes(1.9)
    assert reported == []
    clock.passes(30)
    assert reported == [(2, "an answer"), (4, "an answer"), (8, "an answer"), (16, "an answer")]
    silence.end()
    clock.passes(1000)
    assert len(reported) == 4


def test_an_answer_ends_it(clock: Clock) -> None:
    reported: list[tuple[float, str]] = []
    silence = watch(clock, reported)
    silence.begin()
    for _ in range(10):
        clock.passes(1.5)
        silence.begin()
    assert reported == []
    clock.passes(2)
    assert [silent_s for silent_s, _ in reported] == [2]
