"""Nothing more is sent before the space for the answers in flight is gone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from longctx.live import disk
from longctx.live.disk import LEAST, Disk
from tests.live.slotted import HOST, Slotted, ask
from tests.recording.examples import line_cell


def free(monkeypatch: pytest.MonkeyPatch, left: list[float]) -> None:
    monkeypatch.setattr(disk, "_free", lambda folder: left[0])


def test_what_it_needs_follows_the_largest_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    left = [10.0 * LEAST]
    free(monkeypatch, left)
    room = Disk([tmp_path / "cassettes"])
    assert room.full(9) is None
    full = room.full(10)
    assert full is not None
    assert full.fatal
    assert "No answer is lost." in full.message
    room.recorded(10 * LEAST)
    assert room.full(0) is not None


def test_no_answer_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [100.0 * LEAST]
    free(monkeypatch, left)

    class Filling(Slotted):
        async def answer(self, request: object) -> object:  # type: ignore[override]
            left[0] -= LEAST
            assert left[0] >= 0, "an answer found no space"
            return await Slotted.answer(self, request)  # type: ignore[arg-type]

    server = Filling(math.inf, 2.0)
    asked = ask([line_cell(trials=200)], {HOST: server}, 32)
    assert asked.stopped is not None
    assert asked.stopped.cause == "not_recorded"
    assert 60 <= asked.answered < 100
    assert {failure.cause for failure in asked.failures.values()} <= {"not_recorded", "not_asked"}
