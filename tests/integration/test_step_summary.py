"""GITHUB_STEP_SUMMARY: the summary of a run, appended to the file that it names."""

from __future__ import annotations

import pytest

from longctx.results.manifest import load_manifest
from tests.integration.conftest import Checkout


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_the_summary_is_appended_once(recorded: Checkout, workers: str) -> None:
    step = recorded.file("step.md")
    step.write_text("# Before\n")
    commit = {"GITHUB_SERVER_URL": "https://host", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "0" * 40}
    assert recorded.pytest(workers, env={"GITHUB_STEP_SUMMARY": str(step), **commit}).code == 0
    manifest = load_manifest(recorded.file("reports/latest"))
    assert manifest.commit == f"https://host/o/r/commit/{'0' * 40}"
    assert sum(manifest.tests.values()) == manifest.tests["passed"] > 0
    assert step.read_text() == "# Before\n\n" + recorded.file("reports/latest/summary.md").read_text()


def test_a_file_that_cannot_be_written_is_a_sentence(recorded: Checkout) -> None:
    result = recorded.pytest("-n1", env={"GITHUB_STEP_SUMMARY": str(recorded.folder)})
    assert result.code == 0
    assert result.says("The summary could not be added to GITHUB_STEP_SUMMARY", "Is a directory", "4 replayed")
    assert recorded.file("reports/latest/summary.md").exists()
    assert len(recorded.rows()) == 4


def test_a_run_that_measures_nothing_appends_nothing(checkout: Checkout) -> None:
    step = checkout.file("step.md")
    checkout.pytest("--collect-only", env={"GITHUB_STEP_SUMMARY": str(step)})
    assert not step.exists()
