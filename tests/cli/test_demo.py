"""`longctx demo`: a gate on a recorded change of a prompt, without a key and the network."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.cli.demo import FILES
from tests.here import HERE


def test_it_shows_a_verdict_what_was_lost_and_where_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    for _ in range(2):  # what is unpacked is used again
        assert main(["demo"]) == 0
    said = capsys.readouterr().out
    assert "GATE: REGRESSION in 2 of 2 bands (exit 10)\n" in said
    assert 'line_retrieval/lines-3#7: "The REGISTER_CONTENT is 33130" → "28038": the value of line 1, not of' in said
    assert said.count("Report: longctx-demo/reports/") == 2
    assert "  longctx init --test my_first\n  pytest tests_longctx --ctx-estimate\n" in said
    assert not opened, "this is no terminal"
    assert len([*(tmp_path / "longctx-demo/reports").iterdir()]) == 3


def test_the_wheel_has_its_files() -> None:
    project = tomllib.loads((HERE.root / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {name: included[name] for name in FILES} == {name: f"longctx/fixtures/demo/{name}" for name in FILES}
    assert sum((HERE.root / name).stat().st_size for name in FILES) < 600_000
