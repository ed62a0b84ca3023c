"""Slots for requests: no more are taken at once than the adaptive limit allows, and none while it holds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from longctx.ask.limit import Limit


@dataclass(frozen=True, slots=True)
class Slot:
    """A request's place among those in flight. changes: how often the limit was halved when it was taken."""

    changes: int


class Slots:
    """Of one event loop."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._taken = 0
        self._changed = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[Slot]:
        """Wait for a slot, and give it back at the end."""
        await self._take()
        try:
            await self._wait_while_held()
            yield Slot(self._limit.changes)
        finally:
            await self._give_back()

    @property
    def taken(self) -> int:
        return self._taken

    def answered(self) -> None:
        self._limit.answered()

    def refused(self, slot: Slot) -> None:
        self._limit.refused(slot.changes)

    def hold(self, seconds: float) -> None:
        """Send nothing for so long."""
        self._limit.hold(asyncio.get_running_loop().time() + seconds)

    async def _take(self) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._taken < int(self._limit.allowed))
            self._taken += 1

    async def _wait_while_held(self) -> None:
        loop = asyncio.get_running_loop()
        while (pause := self._limit.held_until - loop.time()) > 0:
            await asyncio.sleep(pause)

    async def _give_back(self) -> None:
        async with self._changed:
            self._taken -= 1
            self._changed.notify(2)  # its own slot, and one that an answer may have won
