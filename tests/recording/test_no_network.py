"""Replay cannot reach the network, whatever happens to a cassette or to vcrpy."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import pytest
import vcr.serialize
from vcr.cassette import Cassette
from vcr.request import Request

from longctx.cells.cell import Trial
from longctx.recording.missing import why_missing
from longctx.recording.tape import Tape, TapeError
from longctx.recording.transport import NotOnTape, TapeTransport
from tests.recording.examples import client_of, line_cell, place, recorded, send

CELL = line_cell()
ROOT = Path(__file__).resolve().parents[2]


class Reached(BaseException):
    """Raised by an attempt to connect. No `except Exception` hides it."""


@pytest.fixture(autouse=True)
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make each attempt to connect raise, and return the attempts."""
    made: list[str] = []

    def guard(name: str) -> Callable[..., Any]:
        def refuse(*_: object, **__: object) -> None:
            made.append(name)
            raise Reached(name)

        return refuse

    for owner, name in (
        (socket, "create_connection"),
        (socket, "getaddrinfo"),
        (socket.socket, "connect"),
        (socket.socket, "connect_ex"),
        (asyncio.AbstractEventLoop, "create_connection"),
        (asyncio.BaseEventLoop, "create_connection"),
    ):
        monkeypatch.setattr(owner, name, guard(name))
    return made


def missing(file: Path) -> None:
    file.unlink()


def stale(file: Path) -> None:
    file.write_text(file.read_text().replace("sha256:", "sha256:0"))


def corrupt(file: Path) -> None:
    file.write_bytes(b"\xff\x00 not json\n" + file.read_bytes())


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:300])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def without_body(file: Path) -> None:
    file.write_text(file.read_text().replace('"string"', '"gone"'))


BROKEN = [missing, stale, corrupt, truncated, emptied, without_body]


@pytest.mark.parametrize("break_it", BROKEN)
def test_a_broken_cassette(tmp_path: Path, attempts: list[str], break_it: Callable[[Path], None]) -> None:
    break_it(recorded(tmp_path, CELL))
    tape = Tape(tmp_path)
    with contextlib.suppress(TapeError):
        assert tape.reply(place(CELL)) is None
        assert why_missing(CELL, tape, [place(CELL)], [])
    assert not attempts


@pytest.mark.parametrize("break_it", BROKEN)
def test_a_broken_cassette_replayed_through_the_sdk(
    tmp_path: Path, attempts: list[str], break_it: Callable[[Path], None]
) -> None:
    break_it(recorded(tmp_path, CELL))
    with pytest.raises(anthropic.APIConnectionError) as caught:
        asyncio.run(send(client_of(TapeTransport(Tape(tmp_path))), Trial(CELL, 0)))
    assert isinstance(caught.value.__cause__, NotOnTape | TapeError)
    assert not attempts


OF_VCRPY = [
    (vcr.serialize, "deserialize"),
    (Request, "__init__"),
    (Request, "_from_dict"),
    (Cassette, "__init__"),
    (Tape, "response"),
]


@pytest.mark.parametrize(("owner", "name"), OF_VCRPY, ids=[name for _, name in OF_VCRPY])
def test_a_broken_vcrpy(
    tmp_path: Path, attempts: list[str], monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    recorded(tmp_path, CELL)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("vcrpy is broken")

    monkeypatch.setattr(owner, name, fail)
    with contextlib.suppress(RuntimeError):
        reply = Tape(tmp_path).reply(place(CELL))
        assert reply is None or reply.text == "42"
    with pytest.raises((anthropic.APIConnectionError, RuntimeError)):
        asyncio.run(send(client_of(TapeTransport(Tape(tmp_path))), Trial(CELL, 0)))
    assert not attempts


def test_a_tape_that_finds_nothing(tmp_path: Path, attempts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The tape denies an answer that is on it; no server is asked."""
    recorded(tmp_path, CELL)
    monkeypatch.setattr(Tape, "response", lambda *_: None)
    with pytest.raises(anthropic.APIConnectionError):
        asyncio.run(send(client_of(TapeTransport(Tape(tmp_path))), Trial(CELL, 0)))
    assert not attempts


REPLAY = """
import json, socket, sys
from pathlib import Path

def refuse(*_, **__):
    raise SystemExit("something went for the network")

socket.create_connection = socket.getaddrinfo = socket.socket.connect = socket.socket.connect_ex = refuse

import longctx.engine.measure
import longctx.plugin.running
from longctx.recording.missing import why_missing
from longctx.cells.cell import Cell, Trial
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from longctx.config.models import ModelProfile
from longctx.config.prompts import PromptSet
from tests.protocols import LineRetrieval
from tests.here import HERE

wording = PromptSet.open(HERE, "protocol").wording(LineRetrieval)
cell = Cell(ModelProfile(model="toy"), wording, LineRetrieval(5), seed=0, trials=3)
tape, texts, absent = Tape(Path(sys.argv[1])), [], []
for question in cell.fitted().each_trial():
    trial = question.build()
    reply = tape.reply(Place.of(question, trial))
    if reply is None:
        absent.append(Place.of(question, trial))
    else:
        texts.append(trial.judge(reply).kind)
why_missing(cell, tape, absent, [])
print(json.dumps({"judged": texts, "absent": len(absent), "imported": "anthropic" in sys.modules}))
"""


def test_a_replay_does_not_even_import_the_sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    recorded(tmp_path, CELL)
    command = [sys.executable, "-c", REPLAY, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"judged": ["wrong", "wrong"], "absent": 1, "imported": False}
