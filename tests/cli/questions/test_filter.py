"""`longctx data filter`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.corpus.filters import load_filter
from longctx.results.row import Row
from longctx.results.store import append, drop_unfinished, finish, row_lines
from longctx.workspace import Workspace
from tests.rows import control


def row(item: str, outcome: str, record: str = "right") -> Row:
    return control(record, item, outcome, model="m")


def merged(folder: Path) -> None:
    finish(folder, folder)
    drop_unfinished(folder)


@pytest.fixture
def run(tmp_path: Path, within_mine: Workspace) -> Path:
    rows = [row("q1", "correct"), row("q2", "wrong"), row("q3", "infra_error"), row("q2", "correct", "wrong")]
    append(tmp_path / "run", row_lines(rows))
    merged(tmp_path / "run")
    return tmp_path / "run"


def test_the_filter_is_made_from_measured_answers_with_the_right_section(
    run: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "filter", str(run)]) == 0
    assert capsys.readouterr().out.endswith("m-0123456789ab.json: 2 answered, 1 kept\n")
    kept = load_filter(mine, "m", "0123456789ab")
    assert kept is not None
    assert (kept.kept, kept.dropped) == (("q1",), ("q2",))


def test_what_was_not_answered_readably_is_neither_kept_nor_dropped(
    run: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    append(
        run, row_lines([row("q1", "truncated"), row("q4", "unparseable"), row("q5", "refusal"), row("q6", "correct")])
    )
    merged(run)
    assert main(["data", "filter", str(run)]) == 0
    assert "1 answered, 1 kept; 3 without a readable answer" in capsys.readouterr().out
    kept = load_filter(mine, "m", "0123456789ab")
    assert kept is not None
    assert (kept.kept, kept.dropped) == (("q6",), ())


def test_one_readable_answer_of_several_counts(run: Path, mine: Workspace) -> None:
    append(run, row_lines([row("q1", "correct"), replace(row("q1", "truncated"), repeat=1)]))
    merged(run)
    assert main(["data", "filter", str(run)]) == 0
    kept = load_filter(mine, "m", "0123456789ab")
    assert kept is not None
    assert kept.kept == ("q1",)


def test_a_run_without_controls_is_a_sentence(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "filter", str(run), "--prompts", "other"]) == 2
    assert "[controls-not-run]" in capsys.readouterr().err


def test_no_run_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "filter", str(tmp_path)]) == 2
    assert "[no-run]" in capsys.readouterr().err
