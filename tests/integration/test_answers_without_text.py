"""Trials that pass on an answer without text: cut off they are truncated, else a note names their test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.conftest import Launcher, foreign_project
from tests.servers import Answer, Body, SimulatedServer, message

TESTS = """
import pytest


@pytest.mark.longctx(trials=3)
def test_polite(ask, draw):
    assert "ok" not in ask(f"Say {draw.integer(10, 99)}").text
"""
PROFILE = """
about = "Silence."
models = ["toy"]
"""
SENTENCE = "test_polite, toy, prompts protocol: 3 of 3 passing trials passed on an answer without text."


@pytest.mark.parametrize(
    ("stop", "outcome", "named"), [("max_tokens", "truncated", False), ("end_turn", "correct", True)]
)
def test_a_trial_that_passes_on_no_answer(
    launcher: Launcher, tmp_path: Path, stop: str, outcome: str, named: bool
) -> None:
    def silent(body: Body) -> Answer:
        thinking = {"type": "thinking", "thinking": "Is it", "signature": "s"}
        return 200, {}, message("", body, content=[thinking], stop_reason=stop)

    project = foreign_project(launcher, tmp_path)
    project.file("test_polite.py").write_text(TESTS)
    project.profile(PROFILE)
    with SimulatedServer(silent) as server:
        result = project.record(server)
    assert [row["outcome"] for row in project.rows()] == 3 * [outcome]
    assert result.says(SENTENCE) == named
