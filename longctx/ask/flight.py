"""A request in flight: it has its slot until its answer was read to the end, and no longer."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

import httpx2

from longctx.ask.pace import retry_after_s, room_in_s
from longctx.ask.slots import Slot, Slots


@dataclass(frozen=True, slots=True)
class Flight:
    """tokens: of the prompt."""

    slots: Slots
    slot: Slot
    tokens: int

    async def landed(self, response: httpx2.Response) -> None:
        """Learn from the answer how much the server can take, and then let the next request go."""
        if response.status_code == 200:
            self.slots.answered()
            self.slots.hold(room_in_s(response.headers, self.tokens))
        elif response.status_code in (429, 529):
            self.slots.refused(self.slot)
            self.slots.hold(retry_after_s(response.headers) or 0.0)
        await self.slots.give_back(self.slot)


FLIGHT: ContextVar[Flight] = ContextVar("the flight of the question that is being asked")
"""Set by whoever asks; the transport says when it has landed."""
