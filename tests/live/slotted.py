"""Runs against a server that is simulated in virtual time.

The asking pass, its limit and its cassettes are those of a run; only the network is not.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import httpx2

from longctx.cells.cell import Cell
from longctx.live.failure import SendResult
from longctx.live.progress import Progress
from longctx.live.server.network import Network
from longctx.recording.missing import missing
from longctx.recording.tape import Tape
from tests.live.clients import asking
from tests.recording.apis.examples import completion
from tests.recording.examples import line_cell
from tests.servers import message
from tests.virtual_time import run

HOST = "simulated.test"
"""The host of models whose profile names none."""


@dataclass(slots=True)
class Slotted:
    """A server that answers `slots` requests at once; others wait."""

    slots: float
    answer_s: float
    spread: float = 0.0
    """The standard deviation of the logarithm of the seconds that an answer takes."""
    bears: float = math.inf
    """How many requests it takes before it refuses with 429."""
    overloaded: float = 0.0
    """The share of requests that it refuses with 529, whatever there is to do."""
    pause_s: float | None = None
    """The `retry-after` of its first answer, a 429; None to answer it."""
    seed: int = 0
    most: int = 0
    """The most requests that it had at once."""
    refused: int = 0
    ended: float = 0.0
    """When its last answer ended."""
    _open: int = 0
    _busy: int = 0
    _free: asyncio.Condition = field(default_factory=asyncio.Condition)
    _lots: random.Random = field(init=False)
    _refusals: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._lots, self._refusals = random.Random(self.seed), random.Random(-1 - self.seed)

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        if pause_s := self.pause_s:
            self.pause_s = None
            return self._refusal(request, 429, {"retry-after": f"{pause_s:g}"})
        if self._refusals.random() < self.overloaded:
            return self._refusal(request, 529)
        if self._open >= self.bears:
            return self._refusal(request, 429)
        self._open += 1
        self.most = max(self.most, self._open)
        async with self._free:
            await self._free.wait_for(lambda: self._busy < self.slots)
            self._busy += 1
        await asyncio.sleep(self.answer_s * self._lots.lognormvariate(0.0, self.spread))
        async with self._free:
            self._busy -= 1
            self._free.notify(1)
        self._open -= 1
        self.ended = asyncio.get_running_loop().time()
        return httpx2.Response(200, content=_message(request), request=request)

    def _refusal(self, request: httpx2.Request, status: int, headers: Mapping[str, str] = {}) -> httpx2.Response:
        self.refused += 1
        return httpx2.Response(status, headers=headers, content=b"{}", request=request)


def _message(request: httpx2.Request) -> bytes:
    return message("42") if request.url.path.endswith("/messages") else json.dumps(completion("42")).encode()


def seconds(server: Slotted, in_flight: int, trials: int) -> float:
    """Return the virtual seconds until all trials are answered."""
    asked = ask([line_cell(trials=trials)], {HOST: server}, in_flight)
    assert asked.answered == trials, asked
    return server.ended


def ask(
    cells: Sequence[Cell], servers: Mapping[str, Slotted], in_flight: int, progress: Progress | None = None
) -> SendResult:
    """Send the requests of cells to these servers. Raises UserError for models of hosts that are not trusted."""
    url = f"https://{HOST}" if HOST in servers else None

    async def answer(network: Network, request: httpx2.Request) -> httpx2.Response:
        return await servers[request.url.host].answer(request)

    with tempfile.TemporaryDirectory() as folder, patch.object(Network, "handle_async_request", answer):
        tape = Tape(Path(folder), "once")
        return run(asking(url, tape, missing(tape, cells), in_flight, progress=progress))
