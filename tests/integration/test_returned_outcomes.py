"""Test functions that return an outcome, and whose parameters take their values from the profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.given import served
from tests.integration.conftest import Checkout, Launcher, foreign_project
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TESTS = """
import pytest
from pydantic import BaseModel

from longctx import Outcome


class Lines(BaseModel):
    lines: tuple[int, ...]
    blocks: tuple[int, ...] = (2,)

    def cells(self):
        for lines in self.lines:
            yield from ({"lines": lines, "block": block} for block in self.blocks if block < lines)


@pytest.mark.longctx(trials=2, version=3, axes=Lines)
def test_lines(ask, draw, lines, block):
    value = int(draw.stream().permutation(100)[0])
    answer = ask(f"{lines} lines in blocks of {block}: say {value}")
    if not answer.text.isdigit():
        return Outcome("unparseable", why="no number")
    right = int(answer.text) == value
    return Outcome(
        "correct" if right else "wrong", answer.text, "" if right else "another", {"off": int(answer.text) - value},
        expected=str(value), credit=1.0 if right else 0.25,
    )


@pytest.mark.longctx(trials=1)
@pytest.mark.parametrize("tokens", [1, 2])
def test_bad(ask, tokens: int):
    ask("say 1")
    return Outcome("infra_error")
"""
PROFILE = """
about = "Axes."
models = ["toy"]

[test_lines]
lines = [2, 3]
blocks = [1, 2]

[test_bad]
tokens = [7]
"""


def echo(body: Body) -> Answer:
    """Answer the value that the prompt names, one too much for blocks of 2, cut off in the middle of the number."""
    prompt = prompt_of(body)
    value = int(prompt.rpartition(" ")[2]) + ("blocks of 2" in prompt)
    return 200, {}, message(str(value), body, stop_reason="max_tokens")


server = served(echo)


@pytest.fixture
def project(launcher: Launcher, tmp_path: Path) -> Checkout:
    made = foreign_project(launcher, tmp_path)
    made.file("test_axes.py").write_text(TESTS)
    return made


def test_an_outcome_judges_and_the_profile_gives_the_axes(project: Checkout, server: SimulatedServer) -> None:
    project.profile(PROFILE)
    live = project.record(server)
    assert "returns an outcome of the kind 'infra_error'" in live.out
    rows = [row for row in project.rows() if row["test"] == "test_lines"]
    assert {row["cell"] for row in rows} == {"lines-2-block-1", "lines-3-block-1", "lines-3-block-2"}
    assert {row["version"] for row in rows} == {3}
    for row in rows:
        right = row["params"]["block"] == 1
        assert row["outcome"] == ("correct" if right else "wrong")  # not truncated: what is returned judges
        assert row["trace"] == {"off": 0 if right else 1, "credit": 1000 if right else 250}
        assert row["expected"] is not None
        assert row["why"] == ("" if right else "another")
    project.pytest("-n", "1")
    replayed = [row["outcome"] for row in project.rows() if row["test"] == "test_lines"]
    assert replayed.count("correct") == 4


def test_a_bad_axis_fails_its_own_test(project: Checkout) -> None:
    project.profile(PROFILE.replace("tokens = [7]", 'tokens = ["seven"]'))
    result = project.pytest()
    assert "The table [test_bad] of the profile: tokens has the value 'seven'" in result.out
    assert "no recording" in result.out
