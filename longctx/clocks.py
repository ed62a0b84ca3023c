"""The clocks of longctx, which no test can stop: they are taken when this module is imported.

Libraries that freeze the time for a test replace the standard library's functions in the modules that hold them. What
longctx measures, and the waiting of its own threads, goes on meanwhile.
"""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

Result = TypeVar("Result")


def _taken() -> tuple[Callable[[], datetime.datetime], Callable[[], float]]:
    """Return the clocks in the closures of functions, where nobody replaces them."""
    moment, seconds = datetime.datetime.now, time.perf_counter

    def now() -> datetime.datetime:
        return moment(datetime.UTC)

    def monotonic() -> float:
        return seconds()

    return now, monotonic


now, monotonic = _taken()
"""The time in UTC; and seconds from some moment on, of which only differences mean something."""


def local() -> datetime.datetime:
    """Return the time in the zone of this machine."""
    return now().astimezone()


def stamp() -> str:
    """Return the time as files have it: ISO 8601 in UTC, to the millisecond.

    An answer that replaces another within a second is distinguished from it.
    """
    return now().isoformat(timespec="milliseconds")


def new_loop() -> asyncio.AbstractEventLoop:
    """Return an event loop whose timers go by these clocks, as far as its type lets them."""
    import asyncio

    loop = asyncio.new_event_loop()
    with contextlib.suppress(AttributeError):
        loop.time = monotonic  # type: ignore[method-assign]
    return loop


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine like `asyncio.run`, on an event loop that uses these clocks."""
    import asyncio

    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(coroutine)
