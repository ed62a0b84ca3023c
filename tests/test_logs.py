"""The log: on stderr if the environment asks for it, and without the texts of prompts."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from longctx import logs
from longctx.engine.run import Run
from tests.here import HERE

TABLE = {"models": ["qwen2.5-coder-0.5b"], "lines": [3], "orders": ["ordered"], "trials": 2}


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> logging.Logger:
    """Return a logger in the place of longctx's, which no other test changes."""
    log = logging.Logger("longctx of a test")
    monkeypatch.setattr(logs, "LOG", log)
    return log


@pytest.mark.parametrize(("value", "handlers"), [("1", 1), ("0", 0), ("", 0), (None, 0)])
def test_the_environment_turns_it_on(
    own: logging.Logger, monkeypatch: pytest.MonkeyPatch, value: str | None, handlers: int
) -> None:
    monkeypatch.delenv(logs.DEBUG, raising=False)
    if value is not None:
        monkeypatch.setenv(logs.DEBUG, value)
    logs.start()
    logs.start()
    assert len(own.handlers) == handlers


def test_a_replay_logs_what_it_read_and_no_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="longctx"):
        Run({"line_retrieval": TABLE}, root=HERE.root, report=tmp_path / "run").measure()
    assert any(message.endswith(": 2 rows, 0 without an answer") for message in caplog.messages)
    assert "REGISTER_CONTENT" not in caplog.text
