"""A flight: what it waits for, how it ends, and what is learnt from it."""

from __future__ import annotations

import asyncio
import dataclasses

import httpx2
import pytest

from longctx.ask.flight import Flight, Grounded
from longctx.ask.limit import Limit
from longctx.ask.slots import Slots
from tests.ask.examples import flight


async def fly(one: Flight, answer: httpx2.Response) -> None:
    async with one.under_way() as slot:
        one.heed(slot, answer)


def test_it_is_watched_from_its_slot_on() -> None:
    seen: list[int] = []
    asyncio.run(fly(flight(watch=seen.append), httpx2.Response(200)))
    assert seen == [1, 0]


def test_an_answer_that_takes_too_long_is_the_networks_failure() -> None:
    async def test() -> None:
        slots = Slots(Limit(1))
        with pytest.raises(httpx2.ReadTimeout, match=r"no answer in 0\.001 s"):
            async with flight(slots, timeout_s=0.001).under_way():
                await asyncio.Event().wait()
        assert slots.taken == 0

    asyncio.run(test())


def test_waiting_for_a_slot_takes_no_time_of_the_flights_own() -> None:
    async def test() -> None:
        slots, free = Slots(Limit(1)), asyncio.Event()

        async def other() -> None:
            async with slots.one():
                await free.wait()

        busy = asyncio.create_task(other())
        await asyncio.sleep(0)
        waiting = asyncio.create_task(fly(flight(slots, timeout_s=0), httpx2.Response(200)))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not waiting.done()
        free.set()
        await busy
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(test())


def test_it_is_not_sent_once_the_asking_stopped() -> None:
    seen: list[int] = []
    stopped = dataclasses.replace(flight(watch=seen.append), stopped=lambda: True)
    with pytest.raises(Grounded):
        asyncio.run(fly(stopped, httpx2.Response(200)))
    assert seen == [0]


@pytest.mark.parametrize("status", [429, 529])
def test_a_server_that_has_too_much_to_do_is_sent_less_and_later(status: int) -> None:
    async def test() -> None:
        limit = Limit(8)
        await fly(flight(Slots(limit)), httpx2.Response(status, headers={"retry-after": "3600"}))
        assert limit.allowed == 4
        assert limit.held_until > asyncio.get_running_loop().time() + 3000

    asyncio.run(test())


@pytest.mark.parametrize("status", [400, 500, 503])
def test_other_failures_say_nothing_about_its_room(status: int) -> None:
    limit = Limit(8)
    asyncio.run(fly(flight(Slots(limit)), httpx2.Response(status, headers={"retry-after": "3600"})))
    assert (limit.allowed, limit.held_until) == (8, 0.0)


def test_an_answer_whose_headers_tell_of_no_more_room_holds_the_next() -> None:
    now = "Sun, 22 Nov 2026 12:00:00 GMT"
    told = {"limit": "1000", "remaining": "0", "reset": "2026-11-22T13:00:00Z"}
    headers = {"date": now} | {f"anthropic-ratelimit-input-tokens-{name}": value for name, value in told.items()}

    async def test() -> None:
        limit = Limit(8)
        await fly(flight(Slots(limit)), httpx2.Response(200, headers=headers))
        ahead = limit.held_until - asyncio.get_running_loop().time()
        assert 300 < ahead <= 360  # a tenth of the bucket, for 100 tokens

    asyncio.run(test())
