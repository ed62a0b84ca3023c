"""A run with batches for their tests, on a clock that advances only by sleeping."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longctx.cells.cell import Cell
from longctx.live.asking import ask_all
from longctx.live.batches.collect import Batches, BatchTerms, Clock
from longctx.live.batches.filling import ask_in_batches
from longctx.live.batches.ledger import Batch, InBatch, Ledger, custom_id
from longctx.live.batches.service import Service
from longctx.live.bounds import Bounds
from longctx.live.failure import SendResult
from longctx.live.server.client import open_client
from longctx.recording.missing import missing
from longctx.recording.request import Place, Request
from longctx.recording.tape import Tape
from tests.batch_server import BatchServer, Turned
from tests.live.clients import Told

NAME = "20260101T000000-0123abcd"
AT = "2026-01-01T00:00:00+00:00"


@dataclass
class Ran:
    """What a run did, what it printed and reported as progress, and how long it slept."""

    asked: SendResult
    said: list[str]
    told: Told
    slept: list[float]

    @property
    def causes(self) -> list[str]:
        return sorted(failure.cause for failure in self.asked.failures.values())


def run(
    server: BatchServer,
    folder: Path,
    cells: Sequence[Cell],
    *,
    mode: str = "once",
    wait_s: float | None = None,
    cap: float | None = None,
    turned: Turned | None = None,
    name: str = "run",
    lacking: Sequence[Request] | None = None,
    base_url: str | None = None,
) -> Ran:
    """Ask as a live run does: collect the batches that have ended, then ask what the tape lacks and no batch holds."""
    messages: list[str] = []
    progress, clock, tape = Told(), turned or Turned(), Tape(folder, mode, name)

    async def ask() -> SendResult:
        async with open_client(tape, base_url or server.url, 4) as client:
            terms = BatchTerms(base_url or server.url, wait_s, Clock(clock.now, clock.sleep))
            batches = Batches(Service(client), tape, terms, messages.append)
            await batches.service.check()
            await batches.collect()
            held = batches.held()
            trials = missing(tape, cells) if lacking is None else lacking
            trials = [trial for trial in trials if trial.place not in batches.collected]
            free = [trial for trial in trials if trial.place not in held]
            bounds = Bounds.of(4, cap)

            async def directly(some: Sequence[Request]) -> SendResult:
                return await ask_all(client, tape, some, bounds, progress)

            waited = [trial for trial in trials if trial.place in held]
            return await ask_in_batches(batches, free, waited, directly, bounds.budget, progress)

    return Ran(asyncio.run(ask()), messages, progress, clock.slept)


def lacking(folder: Path, cells: Sequence[Cell]) -> int:
    return len(missing(Tape(folder, "once"), cells))


def claimed(folder: Path, server: str, cell: Cell, id: str = "", created_at: str = AT, claimed_at: str = AT) -> Batch:
    """Claim a batch of a cell's trials, as a run that died has left it, and return it."""
    place = [Place.of(trial, trial.build()) for trial in cell.each_trial()]
    requests = tuple(InBatch(custom_id(NAME, each), each) for each in place)
    batch = Batch(NAME, server, server, claimed_at, requests, id, created_at if id else "")
    Ledger(folder).claim(batch)
    return batch
