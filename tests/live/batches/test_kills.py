"""A run that dies at any moment of creating, waiting and collecting: the next one pays for nothing again, and loses
nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from longctx.live.batches import ledger, service
from longctx.live.batches.ledger import Ledger
from longctx.recording.tape import Tape
from tests.batch_server import BatchServer
from tests.live.batches.examples import lacking, run
from tests.recording.examples import line_cell

CELLS = [line_cell(3)]


class Killed(BaseException):
    """The end of the process, which no handler of the tested code may catch."""


CALLS = [(service.Service, name) for name in ("create", "retrieve", "results", "since")]
WRITES = [(ledger.Ledger, "claim"), (ledger.Ledger, "created"), (ledger.Ledger, "drop"), (Tape, "record")]


class Points:
    """Counts the moments of a run, which dies at one of them: before a batch is created, or after any step."""

    def __init__(self, patch: pytest.MonkeyPatch, dies_at: int) -> None:
        self.passed, self.dies_at = 0, dies_at
        for owner, name in CALLS:
            patch.setattr(owner, name, self._called(getattr(owner, name), name == "create"))
        for owner, name in WRITES:
            patch.setattr(owner, name, self._written(getattr(owner, name)))

    def _reached(self) -> None:
        if self.passed == self.dies_at:
            raise Killed
        self.passed += 1

    def _called(self, real: Callable[..., Awaitable[Any]], before: bool) -> Callable[..., Awaitable[Any]]:
        async def call(*given: Any, **named: Any) -> Any:
            if before:
                self._reached()
            result = await real(*given, **named)
            self._reached()
            return result

        return call

    def _written(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def write(*given: Any, **named: Any) -> Any:
            result = real(*given, **named)
            self._reached()
            return result

        return write


def test_at_every_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two batches; the second run finds one of them in any state."""
    monkeypatch.setattr("longctx.live.batches.ledger.MOST_REQUESTS", 1)
    with BatchServer() as server:
        for dies_at in range(1000):
            folder = tmp_path / str(dies_at)
            server.batches.clear()
            server.paid.clear()
            server.looks, server.lists_end = 1, True
            if not _dies(server, folder, dies_at):
                break
            resumed = run(server, folder, CELLS, name="resumed")
            assert not resumed.asked.failures
            assert lacking(folder, CELLS) == 0, dies_at
            assert sorted(server.paid.values()) == [1, 1], dies_at
            assert len(server.created) == 2, dies_at
            assert not Ledger(folder).open()
            assert sum(path.read_text().count("\n") for path in folder.rglob("*.jsonl")) == 2
    assert dies_at > 15


def _dies(server: BatchServer, folder: Path, dies_at: int) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        Points(patch, dies_at)
        try:
            run(server, folder, CELLS)
        except Killed:
            return True
    return False
