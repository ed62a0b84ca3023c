"""Slots on an event loop whose clock the tests set."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from longctx.live.limiter import Limit, Slots


async def settle() -> None:
    """Let every task run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


class Users:
    """Tasks, each of which holds a slot until the test releases it."""

    def __init__(self, slots: Slots, number: int) -> None:
        self.slots, self.holding = slots, 0
        self._go = asyncio.Semaphore(0)
        self.tasks = [asyncio.create_task(self._use()) for _ in range(number)]

    async def _use(self) -> None:
        async with self.slots.slot():
            self.holding += 1
            await self._go.acquire()
            self.holding -= 1

    async def let_go(self, number: int) -> None:
        for _ in range(number):
            self._go.release()
        await settle()


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 10))


def test_no_more_are_taken_than_allowed() -> None:
    async def test() -> None:
        users = Users(Slots(Limit(3)), 7)
        await settle()
        assert users.holding == 3
        await users.let_go(2)
        assert users.holding == 3
        await users.let_go(5)
        assert all(task.done() for task in users.tasks)

    run(test())


def test_after_a_refusal_fewer_are_taken_and_then_more_again() -> None:
    async def test() -> None:
        slots = Slots(Limit(4))
        async with slots.slot() as changes:
            slots.refused(changes, "429")
        users = Users(slots, 12)
        await settle()
        assert users.holding == 2
        for _ in range(5):
            slots.answered(600, 0)
        await users.let_go(1)
        assert users.holding == 3
        await users.let_go(11)
        assert all(task.done() for task in users.tasks)

    run(test())


def test_nothing_is_taken_while_it_holds() -> None:
    async def test() -> None:
        limit = Limit(4)
        slots = Slots(limit)
        slots.hold(3600)
        users = Users(slots, 4)
        await settle()
        assert users.holding == 0
        for task in users.tasks:
            task.cancel()
        await asyncio.gather(*users.tasks, return_exceptions=True)
        limit.held_until = 0.0
        again = Users(slots, 4)
        await settle()
        assert again.holding == 4  # what was cancelled gave its place back
        await again.let_go(4)

    run(test())


def test_it_tells_how_many_are_taken() -> None:
    async def test() -> None:
        waits: list[int] = []
        slots = Slots(Limit(2), lambda: waits.append(slots.sent))
        users = Users(slots, 3)
        await settle()
        assert waits == [1, 2]
        await users.let_go(3)
        assert waits[-1] == 0
        assert max(waits) == 2

    run(test())


def test_once_they_are_closed_nothing_waits() -> None:
    async def test() -> None:
        slots = Slots(Limit(4))
        slots.hold(3600)
        users, pause = Users(slots, 2), asyncio.create_task(slots.pause(3600))
        await settle()
        assert users.holding == 0
        slots.close()
        await pause
        await settle()
        assert users.holding == 2
        await users.let_go(2)

    run(test())
