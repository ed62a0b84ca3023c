"""Projects with many small trials, whose answers are simulated: for benchmarks, in a temporary folder."""

from __future__ import annotations

import json
from pathlib import Path

from longctx.cells.cell import Cell
from longctx.config.models import load_model
from longctx.config.prompts import PromptSet
from longctx.protocols.passkey import spaced
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from longctx.workspace import Workspace
from tests.protocols import Passkey

TRIALS = 50
DISTANCES = 8
MODEL = """
model = "simulated"

[[measured]]
test = "passkey"
wording = "{digest}"
on = 2026-01-01
values = {{ filler = 24, fixed = 69, after_key = 16 }}
"""
TEST = """
from longctx.protocols.passkey import passkey as test_passkey
"""


def project(folder: Path, trials: int, recorded: bool = True) -> Path:
    """Passkeys in windows of 300 to 900 tokens: four of five answers are right."""
    windows = [300 + number for number in range(trials // TRIALS // DISTANCES)]
    for name, text in {
        "pytest.ini": "[pytest]\ntestpaths = tests_longctx\n",
        "conftest.py": 'pytest_plugins = ["longctx.plugin"]\n',
        "tests_longctx/test_passkey.py": TEST,
        "fixtures/profiles/many.toml": f"[passkey]\nwindows = {windows}\ndistances = {DISTANCES}\ntrials = {TRIALS}\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    workspace = Workspace(folder)
    words = PromptSet.open(workspace, "protocol").wording(Passkey)
    models = folder / "fixtures/models"
    models.mkdir(parents=True, exist_ok=True)
    (models / "simulated.toml").write_text(MODEL.format(digest=words.digest))
    if recorded:
        model, tape = load_model(workspace, "simulated"), Tape(folder / "cassettes", "once", "simulated")
        for window in windows:
            for k in spaced(window, DISTANCES):
                record(tape, Cell(model, words, Passkey(window, k), 0, TRIALS).fitted())
    return folder


def record(tape: Tape, cell: Cell) -> None:
    """Record an answer to each question of a case."""
    for trial in cell.each_trial():
        built = trial.build()
        text = built.expected if trial.index % 5 else "12345"
        answer = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": message(text)}}
        tape.record(Place.of(trial, built), answer, "2026-01-01T00:00:00+00:00", 0.5)


def message(text: str) -> bytes:
    """Return an answer of the Messages API."""
    usage = {"input_tokens": 97_000, "output_tokens": 6}
    body = {"id": "msg", "type": "message", "role": "assistant", "model": "simulated", "stop_reason": "end_turn"}
    return json.dumps(body | {"content": [{"type": "text", "text": text}], "usage": usage}).encode()
