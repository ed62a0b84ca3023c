"""The clock of an event loop, for tests that say when time passes."""

from __future__ import annotations

import asyncio


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
