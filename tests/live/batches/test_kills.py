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
from tests.recording.examples import line_case

CASES = [line_case(3)]


class Killed(BaseException):
    """The process is gone: no handler of the code under test sees to it."""


class Points:
    """The moments of a run, counted; it dies at one of them."""

    def __init__(self, patch: pytest.MonkeyPatch, dies_at: int) -> None:
        self.passed, self.dies_at = 0, dies_at
        self._patch = patch
        for name in ("create", "retrieve", "results", "since"):
            self._around(service.Service, name)
        for owner, name in (
            (ledger.Ledger, "claim"),
            (ledger.Ledger, "created"),
            (ledger.Ledger, "drop"),
            (Tape, "record"),
        ):
            self._around_plain(owner, name)
        self._around_plain(ledger, "write_file")

    def _reached(self) -> None:
        if self.passed == self.dies_at:
            raise Killed
        self.passed += 1

    def _around(self, owner: Any, name: str) -> None:
        real: Callable[..., Awaitable[Any]] = getattr(owner, name)

        async def wrapped(*given: Any, **named: Any) -> Any:
            self._reached()
            result = await real(*given, **named)
            self._reached()
            return result

        self._patch.setattr(owner, name, wrapped)

    def _around_plain(self, owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def wrapped(*given: Any, **named: Any) -> Any:
            self._reached()
            result = real(*given, **named)
            self._reached()
            return result

        self._patch.setattr(owner, name, wrapped)


def test_at_every_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two batches, of which the second run finds one in any state."""
    monkeypatch.setattr("longctx.live.batches.parts.MOST_REQUESTS", 1)
    with BatchServer() as server:
        for dies_at in range(1000):
            folder = tmp_path / str(dies_at)
            server.batches.clear()
            server.paid.clear()
            server.looks, server.lists_end = 1, True
            if not _dies(server, folder, dies_at):
                break
            resumed = run(server, folder, CASES, name="resumed")
            assert not resumed.asked.failures
            assert lacking(folder, CASES) == 0, dies_at
            assert sorted(server.paid.values()) == [1, 1], dies_at
            assert len(server.created) == 2, dies_at
            assert not Ledger(folder).open()
            assert sum(path.read_text().count("\n") for path in folder.rglob("*.jsonl")) == 2
    assert dies_at > 30


def _dies(server: BatchServer, folder: Path, dies_at: int) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        Points(patch, dies_at)
        try:
            run(server, folder, CASES)
        except Killed:
            return True
    return False
