"""Trials of a test function, and a tape that answers them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longctx.cells.cell import Cell, Trial
from longctx.config.models import ModelProfile
from longctx.config.prompts import Wording
from longctx.functions.cells import FunctionPoint, FunctionTable, declaration_of
from longctx.functions.trial import FunctionTrial
from longctx.recording.request import Request
from longctx.recording.tape import Tape
from longctx.vocabulary.protocol_cell import Suspended
from tests.recording.examples import AT, answer

MODEL = ModelProfile(model="toy")


def cell_of(
    function: str = "test_it",
    seed: int = 0,
    trials: int = 2,
    items: tuple[tuple[str, str], ...] | None = None,
    model: ModelProfile = MODEL,
    of_one_context: int = 1,
    **values: Any,
) -> Cell:
    declared = declaration_of(function, FunctionTable(share=of_one_context), items)
    point = FunctionPoint(declared, tuple(values.items()), max_tokens=1024)
    return Cell(model, Wording("protocol", "none", {}), point, seed=seed, trials=trials)


def trial_of(cell: Cell | None = None, index: int = 0, repeat: int = 0, tape: Tape | None = None) -> FunctionTrial:
    return FunctionTrial(Trial(cell or cell_of(), index, repeat), tape or Tape(Path("nowhere")))


def answer_to(lacking: Request, tape: Tape, text: str = "yes", **changed: Any) -> None:
    """Record an answer to a request."""
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "toy",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 2},
    }
    content = {"input_tokens": 10} if lacking.place.counts else message | changed
    tape.record(lacking.place, answer(json.dumps(content).encode()), AT, 1.0)


def body_of(text: str) -> dict[str, Any]:
    return {"model": "toy", "max_tokens": 10, "messages": [{"role": "user", "content": text}]}


def exchanged(trial: FunctionTrial, body: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    """Send a request, and return its recorded answer. more: the headers, model, role and path, if others than usual."""
    return trial.receive(trial.issue(body, **{"headers": {}, "model": MODEL} | more))


def issued(trial: FunctionTrial, *texts: str) -> list[Request]:
    """Send these requests, and return those that lack an answer."""
    for text in texts:
        try:
            exchanged(trial, body_of(text))
        except Suspended:
            continue
    return trial.unanswered


def answered(tape: Tape, cell: Cell, *texts: str, index: int = 0) -> None:
    """Record answers to these requests, one after the other."""
    for number in itertools.count():
        lacking = issued(trial_of(cell, index, tape=tape), *texts[: number + 1])
        for each in lacking:
            answer_to(each, tape, f"reply {number}")
        if number + 1 >= len(texts):
            return
