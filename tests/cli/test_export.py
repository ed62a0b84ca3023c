"""`python -m longctx export`."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from longctx.cli import main
from longctx.gate.verdict import Rules, give_verdict
from longctx.report.files import write_report
from longctx.report.verdict import verdict_document
from longctx.report.verdict_data import write_verdict
from longctx.results.manifest import load_manifest
from longctx.results.store import load
from longctx.summary.summary import summarize
from tests.cli.runs import HOSTILE, rows, run

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return run(tmp_path / "run", rows("correct", "wrong", "not_asked", returned=HOSTILE, band="short"))


def test_the_suffix_says_what_is_written(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    for suffix in ("csv", "parquet", "jsonl", "json", "MD"):
        assert main(["export", str(folder), str(tmp_path / f"x.{suffix}")]) == 0
    assert f"{tmp_path / 'x.csv'}: {(tmp_path / 'x.csv').stat().st_size:,} bytes\n" in capsys.readouterr().out
    csv, parquet = pd.read_csv(tmp_path / "x.csv"), pd.read_parquet(tmp_path / "x.parquet")
    assert csv["returned"][0] == "'=1+1|<b>\\x1b[31m`x`\\u202e"
    assert parquet["returned"][0] == HOSTILE
    assert csv["correct"].tolist()[:2] == parquet["correct"].tolist()[:2] == [True, False]
    assert (tmp_path / "x.jsonl").read_bytes() == (folder / "results.jsonl").read_bytes()
    assert json.loads((tmp_path / "x.json").read_text())["run"] == "run"
    assert (tmp_path / "x.MD").read_text().startswith("# longctx run run\n")


def test_a_gated_runs_verdict_comes_first_as_in_its_own_report(folder: Path, tmp_path: Path) -> None:
    record = load(folder)
    given = give_verdict(record.rows, record.rows, Rules())
    shown = verdict_document(given, "main", [HOSTILE])
    write_verdict(folder, given, ("main", ""), [HOSTILE], shown)
    write_report(folder, record, summarize(record.rows), load_manifest(folder), verdict=shown)
    for mine, its_own in (("x.html", "index.html"), ("x.md", "summary.md")):
        assert main(["export", str(folder), str(tmp_path / mine)]) == 0
        text = (tmp_path / mine).read_text()
        assert text == (folder / its_own).read_text()
        assert "Gate: inconclusive - neither a drop nor its absence is shown" in text


def test_nothing_is_written_over_unless_forced(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "x.csv").write_text("mine")
    assert main(["export", str(folder), str(tmp_path / "x.csv")]) == 2
    assert "[file-exists]" in capsys.readouterr().err
    assert (tmp_path / "x.csv").read_text() == "mine"
    assert main(["export", str(folder), str(tmp_path / "x.csv"), "--force"]) == 0
    assert (tmp_path / "x.csv").read_text().startswith("run,model,")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "x.csv"]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("x.xlsx", "unknown-export-format"),
        ("x", "unknown-export-format"),
        ("no/x.csv", "no-such-folder"),
    ],
)
def test_a_mistake_is_a_sentence(folder: Path, tmp_path: Path, capsys: Capture, file: str, code: str) -> None:
    assert main(["export", str(folder), str(tmp_path / file)]) == 2
    assert f"[{code}]" in capsys.readouterr().err


def test_no_run_is_a_sentence(tmp_path: Path, capsys: Capture) -> None:
    assert main(["export", str(tmp_path), str(tmp_path / "x.csv")]) == 2
    assert "[no-run]" in capsys.readouterr().err


def test_a_run_that_does_not_say_what_it_is_of_is_a_sentence(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    (folder / "run.json").unlink()
    assert main(["export", str(folder), str(tmp_path / "x.html")]) == 2
    assert "[manifest-missing]" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
