"""`longctx demo`: a gate on a recorded change of context management, without a key and the network."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.cli.demo import FILES, LOST
from tests.here import HERE


def test_it_shows_price_lost_answers_verdict_and_where_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    for _ in range(2):  # what is unpacked is used again
        assert main(["demo"]) == 0
        lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 120
    said = "\n".join(lines)
    assert "Price:    $0.12 → $0.03 for all" in said
    assert "(9,529 → 2,655 input tokens each)" in said
    assert "Accuracy: 0.76 → 0.24; 70 answers were lost, 4 gained" in said
    assert 'What is the name of the hall in Brackmoor?\n  "Corn Exchange" → "Brackmoor Hall"\n' in said
    assert said.count(" → ") == 2 + 1 + LOST
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
