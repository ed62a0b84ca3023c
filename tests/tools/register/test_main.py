"""The command that writes issues of the register."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.cli import main as longctx
from tools.register.__main__ import main


def test_an_issue_is_generated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new"
    assert main(["--seed", "3", "--out", str(folder)]) == 0
    written = [Path(line).name for line in capsys.readouterr().out.splitlines()]
    assert written == ["register.xml", "corpus.toml", "questions.jsonl", "sections.toml"]
    assert longctx(["corpus", "freeze", str(folder)]) == 0
    assert longctx(["questions", "check", str(folder / "questions.jsonl"), "--corpus", str(folder)]) == 0


def test_a_seed_is_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--out", str(tmp_path)])
    assert "--seed" in capsys.readouterr().err
