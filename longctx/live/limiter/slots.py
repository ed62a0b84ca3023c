"""Slots for requests: no more are taken at once than the adaptive limit allows, and none while it holds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from longctx.live.limiter.limit import Limit


class Slots:
    """The requests in flight on one event loop. told: called with their number whenever it changes."""

    def __init__(self, limit: Limit, told: Callable[[int], object] = lambda taken: None) -> None:
        self._limit, self._told = limit, told
        self._changed = asyncio.Condition()
        self._closed = asyncio.Event()
        self.taken = 0

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for a slot, and hold it. Gives how often the limit had been halved when it was taken, for `refused`."""
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
                self._changed.notify(2)  # its own slot, and one that an answer may have won

    def _count(self, change: int) -> None:
        self.taken += change
        self._told(self.taken)

    async def pause(self, seconds: float) -> None:
        """Wait so long, or until the slots are closed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    def close(self) -> None:
        """Let nothing wait any longer: nothing more will be sent."""
        self._closed.set()

    def answered(self) -> None:
        """A request was answered."""
        self._limit.answered()

    def refused(self, changes: int) -> None:
        """A request was refused, whose slot was taken after `changes` halvings of the limit."""
        self._limit.refused(changes)

    def hold(self, seconds: float) -> None:
        """Send nothing for so long."""
        self._limit.hold(asyncio.get_running_loop().time() + seconds)

    @property
    def held_s(self) -> float:
        """Seconds for which nothing will be sent; not above 0 where nothing is held."""
        return self._limit.held_until - asyncio.get_running_loop().time()
