"""The cells of its grid that a run left out."""

from __future__ import annotations

from pathlib import Path

from longctx.engine.terms import empty, left_out
from tests.engine.examples import PASSKEY, measured, run_of

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


def test_nothing_is_left_out_of_a_complete_run(tmp_path: Path) -> None:
    run = run_of(tmp_path, PASSKEY, labels=(("steps", "9"),))
    assert left_out(run, measured(run, "window-256-k-128", "window-256-k-256")) == ()


def test_what_has_no_row_was_left_out(tmp_path: Path) -> None:
    run = run_of(tmp_path, PASSKEY, LINES)
    rows = [*measured(run, "window-256-k-256"), *measured(run, "lines-3", test="line_retrieval")]
    assert left_out(run, rows) == (
        "line_retrieval/lines-3 of other, prompts protocol",
        "passkey/window-256-k-128 of toy, prompts protocol",
    )


def test_one_trial_of_each_is_no_complete_cell(tmp_path: Path) -> None:
    run = run_of(tmp_path, PASSKEY, only_trial="1")
    assert len(left_out(run, measured(run, "window-256-k-128", "window-256-k-256"))) == 2


def test_what_has_no_question_was_not_left_out(tmp_path: Path) -> None:
    run = run_of(tmp_path, PASSKEY, CONTROL)
    rows = measured(run, "window-256-k-128", "window-256-k-256")
    assert left_out(run, rows) == ()
    assert empty(run, rows) == tuple(
        f"control/longest-1-record-{record} of toy, prompts protocol" for record in ("right", "none")
    )
