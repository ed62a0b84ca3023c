"""Small cells for a toy model, and answers as a server would give them, for tests of recording and asking."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import httpx2
from anthropic import AsyncAnthropic
from anthropic.types import Message

from longctx.cells.cell import Cell, Trial
from longctx.config.models import ModelProfile, TokenCounts
from longctx.live.server.client import Client
from longctx.recording.apis.messages import PATH
from longctx.recording.request import Place, Request, sdk_arguments, sent_body
from longctx.recording.tape import PLACE, Tape
from longctx.vocabulary.answer import Answer
from tests.given import wording_of
from tests.protocols import Collage, LineRetrieval, Passkey
from tests.protocols.bank import small_bank
from tests.servers import message

AT = "2026-01-01T00:00:00+00:00"
LATER = "2026-01-02T00:00:00+00:00"


BANK = small_bank(40)


def line_cell(lines: int = 5, block_size: int | None = None, trials: int = 2, **model: Any) -> Cell:
    profile = ModelProfile(**{"model": "toy", **model})
    return Cell(profile, wording_of(LineRetrieval), LineRetrieval(lines, block_size), seed=0, trials=trials)


def passkey_cell(size: int = 512, k: int = 512, trials: int = 2, **model: Any) -> Cell:
    """Return a cell for a model whose tokens per filler are known."""
    wording = wording_of(Passkey)
    values = {"filler": 24.0, "fixed": 94.0, "after_key": 15.0}
    measured = TokenCounts(test="passkey", wording=wording.digest, on=datetime.date(2026, 1, 1), values=values)
    profile = ModelProfile(**{"model": "toy", "measured": (measured,), **model})
    return Cell(profile, wording, Passkey(size, k), seed=0, trials=trials)


def collage_cell(
    variant: str = "none", depth: int = 50, trials: int = 2, letters: str | None = None, **model: Any
) -> Cell:
    """Return a cell with records of some 4,000 characters; each trial asks about another section."""
    profile = ModelProfile(**{"model": "toy", **model})
    cell = Collage(1500, 100, depth, variant, letters=letters, bank=lambda: BANK)
    return Cell(profile, wording_of(Collage), cell, seed=0, trials=trials)


def of_version(version: int, **changed: object) -> Cell:
    """Return a cell of one question of a bank of this version."""
    cell = dataclasses.replace(collage_cell(), only_trial="s1-toll")
    point = dataclasses.replace(cell.point, bank=lambda: small_bank(40, version=version))  # type: ignore[call-arg]
    return dataclasses.replace(cell, point=point, **changed)  # type: ignore[arg-type]


def place(cell: Cell, index: int = 0) -> Place:
    trial = Trial(cell, index)
    return Place.of(trial, trial.build())


def replies(tape: Tape, *cells: Cell) -> list[Answer]:
    """Return the recorded replies to all trials, those that there are."""
    found = [tape.reply(Place.of(trial, trial.build())) for cell in cells for trial in cell.each_trial()]
    return [reply for reply in found if reply]


def requests_of(*cells: Cell) -> list[Request]:
    """Return the requests of all trials."""
    return [Request.of(trial) for cell in cells for trial in cell.each_trial()]


def answer(content: bytes | str = "42", **headers: str) -> dict[str, Any]:
    """Return an answer as the transport records it."""
    body = message(content) if isinstance(content, str) else content
    return {
        "status": {"code": 200, "message": "OK"},
        "headers": {name: [value] for name, value in headers.items()},
        "body": {"string": body},
    }


def recorded(folder: Path, cell: Cell, text: str = "42", at: str = AT) -> Path:
    """Record all trials of a cell, and return its file."""
    tape = Tape(folder, "once")
    for trial in cell.each_trial():
        tape.record(Place.of(trial, trial.build()), answer(text), at, 0.5)
    return folder / cell.file


def client_of(transport: httpx2.AsyncBaseTransport) -> AsyncAnthropic:
    """Return a client of the real SDK over a transport, without retries."""
    http = anthropic.DefaultAsyncHttpxClient(transport=transport)
    return AsyncAnthropic(api_key="sk-secret", base_url="https://secret-host.test", http_client=http, max_retries=0)


def network(reply: Callable[[httpx2.Request], httpx2.Response]) -> httpx2.MockTransport:
    """Stands in for the network."""
    return httpx2.MockTransport(reply)


def replying(content: bytes, **headers: str) -> httpx2.MockTransport:
    return network(lambda request: httpx2.Response(200, headers=headers, content=content))


async def send(client: Client, trial: Trial, **changed: Any) -> Message:
    """Ask a question through the SDK as the asking pass does."""
    built, model = trial.build(), trial.cell.model
    PLACE.set(Place.of(trial, built))
    async with client:
        sent = sdk_arguments(PATH, sent_body(built, model), model.treatments)
        message: Message = await client.messages.create(**sent | changed)
        return message
