"""What a run left out of its grid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longctx.plugin.ending.whole import empty, left_out
from longctx.plugin.run import Run
from longctx.plugin.settings import Settings
from longctx.results.row import Row
from tests.cli.runs import rows
from tests.here import HERE
from tests.integration import conftest

PASSKEY = f"{conftest.PASSKEY}min_k_max = 200\n"
LINES = """
[line_retrieval]
models = ["toy", "other"]
lines = [3]
orders = ["ordered"]
trials = 1
"""
CONTROL = """
[control]
models = ["toy"]
longest = 1
records = ["right", "none"]
trials = 1
"""


def run_of(tmp_path: Path, *tables: str, **settings: Any) -> Run:
    profile = tmp_path / "profile.toml"
    profile.write_text("".join(tables))
    return Run("r", Settings(profile=str(profile), **settings), HERE, tmp_path / "r")


def measured(run: Run, *scenarios: str, **fields: Any) -> list[Row]:
    """The rows of a run that measured one trial of each of these scenarios."""
    of = {"model": "toy", "family": "passkey", "labels": dict(run.settings.labels), **fields}
    return [row for scenario in scenarios for row in rows("correct", scenario=scenario, **of)]


def test_nothing_is_left_out_of_a_whole_run(tmp_path: Path) -> None:
    run = run_of(tmp_path, PASSKEY, labels=(("steps", "9"),))
    assert left_out(run, measured(run, "window-256-k-128", "window-256-k-256")) == ()


def test_what_has_no_row_was_left_out(tmp_path: Path) -> None:
    run = run_of(tmp_path, PASSKEY, LINES)
    found = [*measured(run, "window-256-k-256"), *measured(run, "lines-3", family="line_retrieval")]
    assert left_out(run, found) == (
        "line_retrieval/lines-3 of other, prompts seed",
        "passkey/window-256-k-128 of toy, prompts seed",
    )


def test_one_trial_of_each_is_no_whole_scenario(tmp_path: Path) -> None:
    run = run_of(tmp_path, PASSKEY, only_trial=1)
    assert len(left_out(run, measured(run, "window-256-k-128", "window-256-k-256"))) == 2


def test_what_has_no_question_was_not_left_out(tmp_path: Path) -> None:
    run = run_of(tmp_path, PASSKEY, CONTROL)
    found = measured(run, "window-256-k-128", "window-256-k-256")
    assert left_out(run, found) == ()
    assert empty(run, found) == tuple(
        f"control/longest-1-record-{one} of toy, prompts seed" for one in ("right", "none")
    )
