"""The exit status and the last words of every command."""

from __future__ import annotations

import pytest

from longctx.cli import main, models


def test_a_command_that_is_interrupted_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(models, "_list", interrupted)
    assert main(["models", "list"]) == 2
    assert capsys.readouterr().err == "Stopped.\n"
