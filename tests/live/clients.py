"""Clients of a simulated server: one that makes single calls, and those of a whole pass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from longctx.live.asking import ask_all
from longctx.live.bounds import Bounds
from longctx.live.failure import Failure, SendResult
from longctx.live.progress import Progress, Silent
from longctx.live.server.client import Client, open_client, open_clients
from longctx.recording.request import Request
from longctx.recording.tape import Tape
from longctx.vocabulary.answer import Answer

Found = TypeVar("Found")


class Told:
    """Progress that keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.last_in_flight = self.most_in_flight = 0
        self.waits: list[str] = []
        self.results: dict[str, Answer | Failure] = {}

    def in_flight(self, number: int, note: str = "") -> None:
        self.notes.append(note)
        self.last_in_flight = number
        self.most_in_flight = max(self.most_in_flight, number)

    def waiting(self, silent_s: float, what: str) -> None:
        self.waits.append(what)

    def ended(self, request: Request, result: Answer | Failure) -> None:
        assert request.build().identity == request.trial.identity
        assert request.key not in self.results, "told twice"
        self.results[request.key] = result


def called(url: str, call: Callable[[Client], Awaitable[Found]], tape: Tape | None = None) -> Found:
    """Return what a call with a client of the server returns."""

    async def run() -> Found:
        async with open_client(tape, url, 4) as client:
            return await call(client)

    return asyncio.run(run())


async def asking(
    url: str | None,
    tape: Tape,
    requests: Sequence[Request],
    in_flight: int = 1,
    bounds: Bounds | None = None,
    progress: Progress | None = None,
) -> SendResult:
    """Send all requests, and return what became of them."""
    async with open_clients(tape, url, in_flight, [request.cell.model for request in requests]) as clients:
        return await ask_all(clients, tape, requests, bounds or Bounds.of(in_flight), progress or Silent())
