"""A request in flight: from its slot, which it waits for, until its answer was read to the end.

What the asking does before and after, such as building prompts and writing answers, takes no slot.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import dataclass

import httpx2

from longctx.ask.pace import retry_after_s, room_in_s
from longctx.ask.slots import Slot, Slots


class Grounded(Exception):
    """It was not sent: the asking had stopped before there was a slot for it."""


@dataclass(frozen=True, slots=True)
class Flight:
    """tokens: of the prompt. timeout_s: for the whole flight, from its slot on. stopped: whether nothing more may be
    sent. watch: told how many are in flight when one begins or ends."""

    slots: Slots
    tokens: int
    timeout_s: float
    stopped: Callable[[], bool]
    watch: Callable[[int], None]

    @contextlib.asynccontextmanager
    async def under_way(self) -> AsyncIterator[Slot]:
        """Raises Grounded, and httpx2.ReadTimeout where it takes too long."""
        try:
            async with self.slots.one() as slot:
                if self.stopped():
                    raise Grounded
                self.watch(self.slots.taken)
                async with asyncio.timeout(self.timeout_s):
                    yield slot
        except TimeoutError:
            raise httpx2.ReadTimeout(f"no answer in {self.timeout_s:g} s") from None
        finally:
            self.watch(self.slots.taken)

    def heed(self, slot: Slot, response: httpx2.Response) -> None:
        """Learn from an answer how much the server can take."""
        if response.status_code == 200:
            self.slots.answered()
            self.slots.hold(room_in_s(response.headers, self.tokens))
        elif response.status_code in (429, 529):
            self.slots.refused(slot)
            self.slots.hold(retry_after_s(response.headers) or 0.0)


FLIGHT: ContextVar[Flight] = ContextVar("the flight of the question that is being asked")
"""Set by whoever asks; the transport makes the flight."""
