"""Slots for requests: no more are taken at once than the adaptive limit allows, and none while it holds."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from longctx.ask.limit import Limit


@dataclass(slots=True)
class Slot:
    """A request's place among those in flight. changes: how often the limit was halved when it was taken."""

    changes: int = 0
    returned: bool = False


class Slots:
    """Of one event loop."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._changed = asyncio.Condition()
        self._closed = asyncio.Event()
        self.taken = 0

    async def take(self) -> Slot:
        """Wait for a slot that nothing holds."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.taken < int(self._limit.allowed))
            self.taken += 1
        slot = Slot()
        try:
            await self._wait_while_held()
        except asyncio.CancelledError:
            await self.give_back(slot)
            raise
        slot.changes = self._limit.changes
        return slot

    async def give_back(self, slot: Slot) -> None:
        """Let another request have it. Once it is given back, nothing happens."""
        if not slot.returned:
            slot.returned = True
            async with self._changed:
                self.taken -= 1
                self._changed.notify(2)  # its own place, and one that an answer may have won

    async def pause(self, seconds: float) -> None:
        """Wait so long, or until the slots are closed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    def close(self) -> None:
        """Let nothing wait any longer: nothing more will be sent."""
        self._closed.set()

    def answered(self) -> None:
        self._limit.answered()

    def refused(self, slot: Slot) -> None:
        self._limit.refused(slot.changes)

    def hold(self, seconds: float) -> None:
        """Send nothing for so long."""
        self._limit.hold(asyncio.get_running_loop().time() + seconds)

    @property
    def held_s(self) -> float:
        """Seconds for which nothing will be sent; not above 0 where nothing is held."""
        return self._limit.held_until - asyncio.get_running_loop().time()

    async def _wait_while_held(self) -> None:
        while not self._closed.is_set() and (seconds := self.held_s) > 0:
            await self.pause(seconds)
