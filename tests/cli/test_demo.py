"""`longctx demo`: a gate on a recorded change of server, without a key and the network."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.cli.demo import FILES
from tests.here import HERE


def test_it_shows_the_verdict_lost_answers_and_where_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    for _ in range(2):  # what is unpacked is used again
        assert main(["demo"]) == 0
        lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 20
    said = "\n".join(lines)
    assert "Against the baseline table4. Changed: server without a name → kv-q4_0.\n" in said
    assert "passkey, 4,076–4,077 tokens    0.96   0.79  -17.5 [-29.3, -3.8]  16 / 2 of 80   regression" in said
    assert '#4: What is the pass key? The p… "76473. Rememb…" → "76767": 2 of 5 digits…' in said
    assert "GATE: REGRESSION in 1 of 1 band (exit 10)\nReport: longctx-demo/reports/" in said
    assert said.endswith("\nNext, your own test: longctx init --test my_first")
    assert not opened, "this is no terminal"
    assert Path.cwd() == tmp_path
    assert len([*(tmp_path / "longctx-demo/reports").iterdir()]) == 3


def test_the_wheel_has_its_files() -> None:
    project = tomllib.loads((HERE.root / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {name: included[name] for name in FILES} == {name: f"longctx/fixtures/demo/{name}" for name in FILES}
    assert sum((HERE.root / name).stat().st_size for name in FILES) < 300_000
