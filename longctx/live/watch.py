"""The watch over an asking pass, which reports what is waited for while no question ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from longctx.live import waiting

Tell = Callable[[float, str], object]
"""A function that is called with the seconds of a silence, and what is waited for."""


class Timer(Protocol):
    """The part of an event loop that a Watch uses."""

    def time(self) -> float: ...

    def call_later(self, delay: float, callback: Callable[[], object], /) -> asyncio.TimerHandle: ...


class Watch:
    """A watch that reports a silence after waiting.DELAY_S, and again each time it has lasted twice as long."""

    def __init__(self, what: Callable[[], str], tell: Tell, clock: Timer) -> None:
        self._what, self._tell, self._clock = what, tell, clock
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Begin a silence now; an earlier one ends."""
        self.end()
        self._since = self._clock.time()
        self._timer = self._clock.call_later(waiting.DELAY_S, self._silent)

    def end(self) -> None:
        """End the silence."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _silent(self) -> None:
        silent_s = self._clock.time() - self._since
        self._tell(silent_s, self._what())
        self._timer = self._clock.call_later(max(silent_s, waiting.DELAY_S), self._silent)
