"""A flight: when it gives its slot to the next, and what is learnt from its answer."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from longctx.ask.flight import Grounded
from longctx.ask.limit import Limit
from longctx.ask.slots import Slots
from tests.ask.examples import flight


def landed(limit: Limit, response: httpx2.Response) -> float:
    """A flight of a prompt of 100 tokens ends so. For how long it holds the next, in seconds."""

    async def fly() -> float:
        slots = Slots(limit)
        async with flight(slots) as one:
            await one.take_off()
            assert slots.taken == 1
            await one.landed(response)
            assert slots.taken == 0  # though what is made of the answer may take its time
        assert slots.taken == 0
        return limit.held_until - asyncio.get_running_loop().time()

    return asyncio.run(fly())


@pytest.mark.parametrize("status", [429, 529])
def test_a_server_that_has_too_much_to_do_is_sent_less_and_later(status: int) -> None:
    limit = Limit(8)
    assert landed(limit, httpx2.Response(status, headers={"retry-after": "3600"})) > 3000
    assert limit.allowed == 4


@pytest.mark.parametrize("status", [200, 400, 500, 503])
def test_other_answers_say_nothing_about_its_room(status: int) -> None:
    limit = Limit(8)
    landed(limit, httpx2.Response(status, headers={"retry-after": "3600"}))
    assert (limit.allowed, limit.changes) == (8, 0)


def test_answers_let_more_be_sent_again() -> None:
    limit = Limit(8)
    limit.refused(0)
    for _ in range(8):
        landed(limit, httpx2.Response(200))
    assert limit.allowed > 5


def test_an_answer_whose_headers_tell_of_no_more_room_holds_the_next() -> None:
    told = {"limit": "1000", "remaining": "0", "reset": "2026-11-22T13:00:00Z"}
    headers = {f"anthropic-ratelimit-input-tokens-{name}": value for name, value in told.items()}
    headers["date"] = "Sun, 22 Nov 2026 12:00:00 GMT"
    assert 300 < landed(Limit(8), httpx2.Response(200, headers=headers)) <= 360  # a tenth of the bucket


def test_it_is_cut_off_when_it_takes_too_long_and_gives_its_slot_back() -> None:
    async def test() -> None:
        slots = Slots(Limit(1))

        async def fly() -> None:
            async with flight(slots, timeout_s=0.001) as one:
                await one.take_off()
                await asyncio.Event().wait()

        with pytest.raises(TimeoutError):
            await fly()
        assert slots.taken == 0

    asyncio.run(asyncio.wait_for(test(), 10))


def test_waiting_for_a_slot_takes_none_of_its_time() -> None:
    async def test() -> None:
        slots = Slots(Limit(1))
        other = await slots.take()
        began = asyncio.Event()

        async def fly() -> None:
            async with flight(slots, timeout_s=0) as one:
                await one.take_off()
                began.set()
                await asyncio.Event().wait()

        waiting = asyncio.create_task(fly())
        for _ in range(50):
            await asyncio.sleep(0)
        assert not waiting.done()
        await slots.give_back(other)
        with pytest.raises(TimeoutError):
            await waiting
        assert began.is_set()

    asyncio.run(asyncio.wait_for(test(), 10))


def test_it_has_one_slot_however_often_it_takes_off() -> None:
    seen: list[int] = []

    async def test() -> None:
        slots = Slots(Limit(4))
        async with flight(slots, watch=seen.append) as one:
            await one.take_off()
            await one.take_off()
            assert slots.taken == 1

    asyncio.run(test())
    assert seen == [1, 0]


def test_it_does_not_begin_once_the_asking_stopped() -> None:
    async def test() -> None:
        slots = Slots(Limit(4))
        with pytest.raises(Grounded):
            async with flight(slots, stopped=True) as one:
                await one.take_off()
        assert slots.taken == 0

    asyncio.run(test())
