"""--ctx-report: where a run's folder lies; reports/latest points to the newest of the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer

RUN = [
    "results.csv",
    "results.jsonl",
    "run.json",
    "summary.json",
    "summary.md",
    "views.jsonl",
]


def test_a_run_is_a_folder_and_the_newest_is_found(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    result = checkout.record(server)
    [first] = checkout.runs()
    assert sorted(path.name for path in first.iterdir()) == RUN
    assert result.says("Report: reports/latest/summary.md")
    summary = json.loads((first / "summary.json").read_text())
    assert summary["trials"] == {"live": 8, "replayed": 0, "unmeasured": 0}
    assert [(window["window"], window["k_max"]) for window in summary["passkey"]] == [(256, 256)]
    assert "| lines" in (first / "summary.md").read_text()
    checkout.pytest()
    [_, second] = checkout.runs()
    assert checkout.file("reports/latest").resolve() == second


def test_the_tables_end_the_terminal(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    out = checkout.record(server).out
    for part in ("lines    ordered", "Passkey: success", "k_max", "8 live"):
        assert part in out


def test_it_may_lie_elsewhere(checkout: Checkout, server: SimulatedServer) -> None:
    assert checkout.record(server, "--ctx-report=mine/run").code == 0
    assert len(checkout.rows("mine/run")) == 4
    assert not checkout.file("reports").exists()


def test_a_run_is_not_written_over(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "--ctx-report=mine")
    before = checkout.file("mine/results.jsonl").read_bytes()
    result = checkout.pytest("--ctx-report=mine")
    assert result.code == 4
    assert result.says("mine", "[report-exists]")
    assert checkout.file("mine/results.jsonl").read_bytes() == before


@pytest.mark.parametrize("name", ["index.html", "charts/mine.svg", "run.json"])
def test_a_file_of_the_users_is_not_written_over(checkout: Checkout, name: str) -> None:
    file = checkout.file(f"mine/{name}")
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    result = checkout.pytest("--ctx-report=mine")
    assert result.code == 4
    assert result.says("mine", "[report-exists]")
    assert file.read_text() == "mine"


def test_collecting_writes_no_report(checkout: Checkout) -> None:
    assert checkout.pytest("--collect-only").code == 0
    assert not checkout.file("reports").exists()


def test_two_runs_differ_only_in_their_names(recorded: Checkout) -> None:
    recorded.pytest()
    recorded.pytest()
    rows = [[{**row, "run": ""} for row in recorded.rows(str(run))] for run in recorded.runs()]
    assert rows[1] == rows[2]
    assert [{**row, "source": "replayed"} for row in rows[0]] == rows[1]


def test_a_file_of_the_project_writes_no_report_outside(checkout: Checkout, tmp_path: Path) -> None:
    """docs/security.md, file-paths."""
    checkout.file("pytest.ini").write_text(f"[pytest]\naddopts = --ctx-report={tmp_path / 'outside'}\n")
    result = checkout.pytest("-n1")
    assert result.code == 4
    assert result.says("[leads-outside]")
    assert not (tmp_path / "outside").exists()
    checkout.pytest(f"--ctx-report={tmp_path / 'typed'}")
    assert (tmp_path / "typed" / "results.jsonl").exists()
