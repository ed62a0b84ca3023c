"""A request in flight: it has a slot until its answer was read to the end, and no longer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Self

import httpx2

from longctx.ask.pace import retry_after_s, room_in_s
from longctx.ask.slots import Slot, Slots


class Grounded(Exception):
    """It was not sent: the asking had stopped before there was a slot for it."""


class Flight:
    """Entered while a question is asked once, it begins with `take_off` and is cut off `timeout_s` later.

    tokens: of the prompt. stopped: whether nothing more may be sent. watch: told how many slots are taken.
    """

    def __init__(
        self,
        slots: Slots,
        tokens: int,
        timeout_s: float,
        stopped: Callable[[], bool],
        watch: Callable[[int], None],
    ) -> None:
        self._slots, self._tokens, self._timeout_s, self._stopped = slots, tokens, timeout_s, stopped
        self._watch = watch
        self._end = asyncio.timeout(None)
        self._slot: Slot | None = None

    async def __aenter__(self) -> Self:
        await self._end.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._slot:
            await self._give_back(self._slot)
        await self._end.__aexit__(kind, error, traceback)

    async def take_off(self) -> None:
        """Wait for a slot, if it has none yet. Raises Grounded."""
        if self._slot is None:
            self._slot = await self._slots.take()
            self._watch(self._slots.taken)
            if self._stopped():
                raise Grounded
            self._end.reschedule(asyncio.get_running_loop().time() + self._timeout_s)

    async def landed(self, response: httpx2.Response) -> None:
        """Learn from the answer how much the server can take, and then let the next request go."""
        assert self._slot is not None
        if response.status_code == 200:
            self._slots.answered()
            self._slots.hold(room_in_s(response.headers, self._tokens))
        elif response.status_code in (429, 529):
            self._slots.refused(self._slot)
            self._slots.hold(retry_after_s(response.headers) or 0.0)
        await self._give_back(self._slot)

    async def _give_back(self, slot: Slot) -> None:
        await self._slots.give_back(slot)
        self._watch(self._slots.taken)


FLIGHT: ContextVar[Flight] = ContextVar("the flight of the question that is being asked")
"""Set by whoever asks; the transport lets it take off and land."""
