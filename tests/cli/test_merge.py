"""`python -m longctx merge`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.results.store import load_rows
from tests.cli.runs import rows, run

Capture = pytest.CaptureFixture[str]


def test_a_merged_run_is_a_run(tmp_path: Path, capsys: Capture) -> None:
    first = run(tmp_path / "a", rows("correct", "wrong"))
    second = run(tmp_path / "b", rows("correct", scenario="lines-10", params={"lines": 10, "block_size": None}))
    assert main(["merge", str(second), str(first), "--out", str(tmp_path / "all" / "run")]) == 0
    out = capsys.readouterr().out
    assert "lines    ordered\n" in out
    assert out.endswith(f"Merged 2 runs, 3 trials: {tmp_path / 'all' / 'run' / 'index.html'}\n")
    made = tmp_path / "all" / "run"
    assert sorted(path.name for path in made.iterdir()) == [
        *("charts", "index.html", "results.csv", "results.jsonl", "results.parquet"),
        *("run.json", "summary.json", "summary.md", "views.jsonl"),
    ]
    assert [one.run for one in load_rows(made)] == ["a", "a", "b"]
    assert [one["run"] for one in json.loads((made / "run.json").read_text())["merged"]] == ["a", "b"]
    assert main(["compare", str(first), str(made)]) == 0


def test_checkpoints_make_a_table_of_windows(tmp_path: Path, capsys: Capture) -> None:
    passkey = {"family": "passkey", "scenario": "window-400-k-100", "params": {"window": 400, "k": 100}}
    runs = [
        str(run(tmp_path / f"{method}{steps}", rows("correct", labels={"method": method, "steps": steps}, **passkey)))
        for method in ("FT", "PI")
        for steps in ("200", "1000")
    ]
    assert main(["merge", *runs, "--out", str(tmp_path / "out")]) == 0
    out = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["model", "prompts", "method", "window", "steps=200", "steps=1000"] in out
    assert [line[:5] for line in out if line[2:3] == ["PI"] and line[3:4] == ["400"]][-1] == [
        "some-model", "seed", "PI", "400", "100",
    ]  # fmt: skip


def test_two_answers_to_one_trial_are_refused_and_nothing_is_written(tmp_path: Path, capsys: Capture) -> None:
    first = run(tmp_path / "a", rows("correct"))
    second = run(tmp_path / "b", rows("correct", recorded_at="2026-11-23T00:00:00+00:00"))
    assert main(["merge", str(first), str(second), "--out", str(tmp_path / "out")]) == 2
    assert "line_retrieval/lines-5#0 of some-model, prompts seed was answered twice" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_refused(tmp_path: Path, capsys: Capture) -> None:
    first = run(tmp_path / "a", rows("correct"))
    assert main(["merge", str(first), "--out", str(first)]) == 2
    assert "is not empty: give another folder" in capsys.readouterr().err
    assert main(["merge", str(first), "--out", str(first / "run.json" / "x")]) == 2
    assert "run.json is a file: give a folder." in capsys.readouterr().err
    assert main(["merge", str(first), str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "holds no run" in capsys.readouterr().err
