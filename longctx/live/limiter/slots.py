"""The slots for requests in flight: as many as the adaptive limit allows, and none during a pause."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from longctx.live.limiter.limit import Limit


class Slots:
    """The requests in flight on one event loop. on_change: called with their number whenever it changes."""

    def __init__(self, limit: Limit, on_change: Callable[[int], object] = lambda taken: None) -> None:
        self._limit, self._on_change = limit, on_change
        self._changed = asyncio.Condition()
        self._closed = asyncio.Event()
        self.taken = 0

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for a slot and hold it. Yields the number of halvings of the limit so far, which `refused` takes."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.taken < int(self._limit.allowed))
            self._count(1)
        try:
            while not self._closed.is_set() and (seconds := self.held_s) > 0:
                await self.pause(seconds)
            yield self._limit.changes
        finally:
            async with self._changed:
                self._count(-1)
                self._changed.notify(2)  # its own slot, and one that an answer may have added to the limit

    def _count(self, change: int) -> None:
        self.taken += change
        self._on_change(self.taken)

    async def pause(self, seconds: float) -> None:
        """Wait for these seconds, or until the slots are closed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    def close(self) -> None:
        """End all waiting, because nothing more will be sent."""
        self._closed.set()

    def answered(self) -> None:
        """Note that a request was answered."""
        self._limit.answered()

    def refused(self, changes: int) -> None:
        """Note that a request was refused whose slot was taken after `changes` halvings of the limit."""
        self._limit.refused(changes)

    def hold(self, seconds: float) -> None:
        """Send nothing for these seconds."""
        self._limit.hold(asyncio.get_running_loop().time() + seconds)

    @property
    def held_s(self) -> float:
        """The seconds for which nothing will be sent; 0 or less if there is no pause."""
        return self._limit.held_until - asyncio.get_running_loop().time()
