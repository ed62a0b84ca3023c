"""One asking pass of line retrieval against a server, as a run makes it."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from longctx.cells.cell import Cell
from longctx.config.models import ModelProfile
from longctx.config.prompts import PromptSet
from longctx.live.asking import ask_all
from longctx.live.bounds import Bounds
from longctx.live.failure import SendResult
from longctx.live.progress import Silent
from longctx.live.server.client import open_client
from longctx.recording.missing import missing
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from tests.here import HERE
from tests.protocols import LineRetrieval

LINES = 470
"""The number of lines of a prompt of about 7,000 tokens."""


@dataclass(frozen=True, slots=True)
class Pass:
    """asked: what became of the trials. on_tape: how many have an answer there, by reading it afterwards.

    finding_s, asking_s: seconds to find what is missing, and to ask it. cpu_s: seconds of CPU of both.
    """

    asked: SendResult
    on_tape: int
    finding_s: float
    asking_s: float
    cpu_s: float


def cell(trials: int, lines: int = LINES, timeout_s: float = 600.0) -> Cell:
    wording = PromptSet.open(HERE, "protocol").wording(LineRetrieval)
    return Cell(ModelProfile(model="toy", timeout_s=timeout_s), wording, LineRetrieval(lines), seed=0, trials=trials)


def ask(url: str, trials: int, in_flight: int, timeout_s: float = 600.0) -> Pass:
    """Ask through the suite's own asking pass, with cassettes in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_ask(Path(folder), url, cell(trials, timeout_s=timeout_s), in_flight))


async def _ask(folder: Path, url: str, asked_case: Cell, in_flight: int) -> Pass:
    cpu = time.process_time()
    tape = Tape(folder, "once")
    async with open_client(tape, url, in_flight) as client:
        started = time.monotonic()
        trials = missing(tape, [asked_case])
        bounds = Bounds.of(in_flight)
        bounds.limits.of(("", "", "")).allowed = float(in_flight)  # from the start: ramp.py measures how it gets there
        asked_at = time.monotonic()
        asked = await ask_all(client, tape, trials, bounds, Silent())
        ended = time.monotonic()
    cpu = time.process_time() - cpu
    again = Tape(folder)
    on_tape = sum(again.reply(Place.of(trial, trial.build())) is not None for trial in asked_case.each_trial())
    return Pass(asked, on_tape, asked_at - started, ended - asked_at, cpu)
