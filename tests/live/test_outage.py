"""A server that goes away after its first answers is waited for: one request at a time asks whether it is back."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2
import pytest

from longctx.live.bounds import PATIENCE_S
from tests.live.clients import Told
from tests.live.slotted import HOST, Slotted, ask
from tests.recording.examples import line_cell

TRIALS = 100


@dataclass(slots=True)
class Away(Slotted):
    """A server that is away for some time."""

    begins: float = 3.0
    lasts: float = 600.0
    status: int = 503
    """What it answers meanwhile; 0 to refuse the connection."""

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        now = asyncio.get_running_loop().time()
        if self.begins <= now < self.begins + self.lasts:
            if self.status:
                return self._refusal(request, self.status)
            self.refused += 1
            raise httpx2.ConnectError("refused", request=request)
        return await Slotted.answer(self, request)


@pytest.mark.parametrize("status", [0, 502, 503, 529])
def test_an_outage_is_waited_out(status: int) -> None:
    server, told = Away(math.inf, 2.0, status=status), Told()
    asked = ask([line_cell(trials=TRIALS)], {HOST: server}, 32, told)
    assert asked.answered == TRIALS
    assert asked.complete, "no trial is spent on it"
    assert server.refused <= 32 + 40, "those in flight, and one that asks again"
    assert any("to come back" in what for what in told.waits)


def test_the_patience_ends() -> None:
    server = Away(math.inf, 2.0, lasts=math.inf)
    asked = ask([line_cell(trials=TRIALS)], {HOST: server}, 32)
    assert asked.stopped is not None
    assert "was away for 30 minutes" in asked.stopped.message
    assert 0 < asked.answered < TRIALS
    assert server.refused <= 32 + PATIENCE_S / 15


def test_a_request_that_a_server_always_refuses_does_not_make_it_away() -> None:
    """The requests take turns in asking, so that this one does not ask alone; then it is a failure of its own."""
    bad = next(line_cell(trials=TRIALS).each_trial()).build().user

    class Poisoned(Away):
        async def answer(self, request: httpx2.Request) -> httpx2.Response:
            if json.loads(request.content)["messages"][0]["content"] == bad:
                return self._refusal(request, 503)
            return await Away.answer(self, request)

    server = Poisoned(math.inf, 2.0, lasts=60.0)
    asked = ask([line_cell(trials=TRIALS)], {HOST: server}, 4)
    assert (asked.answered, asked.stopped) == (TRIALS - 1, None)
    assert [failure.cause for failure in asked.failures.values()] == ["server_error"]


def test_one_of_two_servers_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGCTX_TRUSTED_HOSTS", "other.test")
    monkeypatch.setenv("OTHER_API_KEY", "k")
    other = {"model": "other", "api": "openai-chat", "base_url": "https://other.test", "key": "OTHER_API_KEY"}
    away, there = Away(math.inf, 2.0), Slotted(math.inf, 2.0)
    cells = [line_cell(trials=20), line_cell(trials=20, **other)]
    assert ask(cells, {HOST: away, "other.test": there}, 4).answered == 40
    assert there.ended < 60 < away.ended


def test_a_pause_that_the_server_requests_is_kept() -> None:
    class Asking(Away):
        def _refusal(self, request: httpx2.Request, status: int, headers: Mapping[str, str] = {}) -> httpx2.Response:
            return Slotted._refusal(self, request, status, {"retry-after": "120"})

    server = Asking(math.inf, 2.0)
    assert ask([line_cell(trials=TRIALS)], {HOST: server}, 16).answered == TRIALS
    assert server.refused <= 16 + 600 / 120


def test_a_dead_address_is_not_waited_for() -> None:
    asked = ask([line_cell(trials=TRIALS)], {HOST: Away(math.inf, 2.0, begins=0, lasts=math.inf, status=0)}, 32)
    assert asked.stopped is not None
    assert asked.stopped.message.endswith("is the server running?")


@dataclass(slots=True)
class Refusing(Slotted):
    """A server that refuses most requests for a reason that does not pass."""

    good: int = 31
    """Every such request is answered."""
    asked: int = 0

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        return await Slotted.answer(self, request) if self.asked % self.good == 0 else self._refusal(request, 400)


def test_an_answer_ends_the_failures_in_a_row() -> None:
    asked = ask([line_cell(trials=TRIALS)], {HOST: Refusing(math.inf, 2.0)}, 1)
    assert asked.stopped is None
    assert asked.answered == TRIALS // 31
    ended = ask([line_cell(trials=TRIALS)], {HOST: Refusing(math.inf, 2.0, good=41)}, 1)
    assert ended.stopped is not None
