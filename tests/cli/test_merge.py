"""`python -m longctx merge`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longctx.cli import main
from longctx.config.project_files import digest_of
from longctx.report.verdict_blocks import MARKS
from longctx.results.store import load_rows
from longctx.workspace import packaged
from tests.cli.runs import rows, run

Capture = pytest.CaptureFixture[str]


def test_a_merged_run_is_a_run(tmp_path: Path, capsys: Capture) -> None:
    first = run(tmp_path / "a", rows("correct", "wrong"))
    second = run(tmp_path / "b", rows("correct", cell="lines-10", params={"lines": 10, "block_size": None}))
    assert main(["merge", str(second), str(first), "-v", "--out", str(tmp_path / "all" / "run")]) == 0
    out = capsys.readouterr().out
    assert "lines    ordered\n" in out
    assert out.endswith(f"Merged 2 runs, 3 trials: {tmp_path / 'all' / 'run' / 'index.html'}\n")
    made = tmp_path / "all" / "run"
    assert sorted(path.name for path in made.iterdir()) == [
        *("charts", "details", "index.html", "results.csv", "results.jsonl"),
        *("run.json", "summary.json", "summary.md", "views.jsonl"),
    ]
    assert [row.run for row in load_rows(made)] == ["a", "a", "b"]
    assert [merged["run"] for merged in json.loads((made / "run.json").read_text())["merged"]] == ["a", "b"]
    assert main(["compare", str(first), str(made)]) == 0


def test_checkpoints_make_a_table_of_windows(tmp_path: Path, capsys: Capture) -> None:
    passkey = {"test": "passkey", "cell": "window-400-k-100", "params": {"window": 400, "k": 100}}
    right = ["correct"] * 5
    runs = [
        str(run(tmp_path / f"{method}{steps}", rows(*right, labels={"method": method, "steps": steps}, **passkey)))
        for method in ("FT", "PI")
        for steps in ("200", "1000")
    ]
    assert main(["merge", *runs, "-v", "--out", str(tmp_path / "out")]) == 0
    out = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["model", "prompts", "method", "window", "steps=200", "steps=1000"] in out
    assert [line[:5] for line in out if line[2:3] == ["PI"] and line[3:4] == ["400"]][-1] == [
        "some-model", "protocol", "PI", "400", "100",
    ]  # fmt: skip


def test_two_answers_to_one_trial_are_refused_and_nothing_is_written(tmp_path: Path, capsys: Capture) -> None:
    first = run(tmp_path / "a", rows("correct"))
    second = run(tmp_path / "b", rows("correct", recorded_at="2026-11-23T00:00:00+00:00"))
    assert main(["merge", str(first), str(second), "--out", str(tmp_path / "out")]) == 2
    assert "[answered-twice]" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_refused(tmp_path: Path, capsys: Capture) -> None:
    first = run(tmp_path / "a", rows("correct"))
    assert main(["merge", str(first), "--out", str(first)]) == 2
    assert "[folder-not-empty]" in capsys.readouterr().err
    assert main(["merge", str(first), "--out", str(first / "run.json" / "x")]) == 2
    assert "[path-is-file]" in capsys.readouterr().err
    assert main(["merge", str(first), str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "[no-run]" in capsys.readouterr().err


def shard(folder: Path, number: int, *outcomes: str, of: int = 2, **fields: Any) -> str:
    """One cell, of its own."""
    made_rows = rows(*outcomes, cell=f"lines-{number}", params={"lines": number, "block_size": None}, band="all")
    return str(run(folder, made_rows, shard=f"{number}/{of}", options=OPTIONS, profile_digest=DIGEST, **fields))


PROFILE = "smoke"
OPTIONS = (f"--ctx-profile={PROFILE}",)
DIGEST = digest_of(packaged() / f"profiles/{PROFILE}.toml")
RIGHT, WRONG = ["correct"] * 40, ["wrong"] * 40


def merge_of(tmp_path: Path, *folders: str, baseline: str = "") -> int:
    gated = [f"--baseline={baseline}"] if baseline else []
    return main(["merge", *folders, "--out", str(tmp_path / "out"), "--no-page", *gated])


@pytest.mark.parametrize(
    ("outcomes", "said", "status"),
    [
        (RIGHT, "pass", 0),
        (["infra_error", *RIGHT[1:]], "invalid", 12),
        (WRONG, "regression", 10),
    ],
)
def test_the_status_is_that_of_the_merged_run(
    tmp_path: Path, capsys: Capture, outcomes: list[str], said: str, status: int
) -> None:
    before = run(tmp_path / "before", *(rows(*RIGHT, cell=f"lines-{lines}", band="all") for lines in (1, 2)))
    parts = [shard(tmp_path / "a", 1, *RIGHT), shard(tmp_path / "b", 2, *outcomes)]
    assert merge_of(tmp_path, *parts, baseline=str(before)) == status
    assert f"Gate: {said} - " in capsys.readouterr().out
    assert (tmp_path / "out/gate.md").read_text().startswith(f"### {MARKS[said]} longctx: ")
    assert json.loads((tmp_path / "out/gate.json").read_text())["verdict"] == said


def test_without_a_baseline_shards_fail_as_their_tests_would(tmp_path: Path, capsys: Capture) -> None:
    part = shard(tmp_path / "a", 1, *RIGHT)
    name = "line_retrieval/lines-2 of some-model, prompts protocol"
    low = shard(tmp_path / "b", 2, *WRONG, min_rates={name: 0.5})
    assert merge_of(tmp_path, part, low) == 1
    assert f"{name}: accuracy 0.00" in capsys.readouterr().out
    assert not (tmp_path / "out/gate.md").exists()


def test_a_shard_that_is_not_there_is_named(tmp_path: Path, capsys: Capture) -> None:
    parts = [shard(tmp_path / name, number, *RIGHT, of=4) for name, number in (("a", 1), ("b", 3))]
    assert merge_of(tmp_path, *parts) == 12
    assert "Invalid: shards 2/4, 4/4 of its grid are missing.\n" in capsys.readouterr().out
    assert main(["baseline", "save", "part", str(tmp_path / "out")]) == 2
    assert "incomplete: shards 2/4, 4/4 of its grid are missing." in capsys.readouterr().err


def test_a_profile_that_has_changed_gives_no_verdict(tmp_path: Path, capsys: Capture) -> None:
    part = run(tmp_path / "a", rows("correct"), options=OPTIONS)
    assert merge_of(tmp_path, str(part), baseline=str(part)) == 2
    assert "[profile-changed]" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
