"""Prints what a run waits for while no request ends, so that the terminal is not silent."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

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
        self._timer = self._clock.call_later(DELAY_S, self._silent)

    def end(self) -> None:
        """End the silence."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _silent(self) -> None:
        silent_s = self._clock.time() - self._since
        self._tell(silent_s, self._what())
        self._timer = self._clock.call_later(max(silent_s, DELAY_S), self._silent)


Say = Callable[[str], object]

DELAY_S = 2.0
"""The seconds of waiting after which a message is printed."""


@contextlib.contextmanager
def waiting(say: Say, what: str) -> Iterator[None]:
    """Print what is waited for if it takes longer than DELAY_S. A thread does so, as this one may be blocked."""
    timer = threading.Timer(DELAY_S, say, (f"Waiting for {what} …",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
