"""A server that leaves thinking in the text of its replies: it is not read as the answer, and the run names it."""

from __future__ import annotations

from pathlib import Path

from tests.integration.conftest import Launcher, foreign_project
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TESTS = """
import pytest


@pytest.mark.longctx(trials=3)
def test_number(ask, draw):
    number = draw.integer(10, 99)
    assert ask(f"Say {number}").integer() == number
"""
PROFILE = """
about = "Thinking."
models = ["toy"]

[passkey]
models = ["toy"]
windows = [400]
distances = 1
trials = 2
"""


def thinking(body: Body) -> Answer:
    """Answer with the largest number of the prompt, after thinking of another."""
    numbers = [int(word) for word in prompt_of(body).replace(".", " ").split() if word.isdigit()]
    return 200, {}, message(f"<think>Is it 5?</think>\n{max(numbers)}", body)


def test_thinking_is_not_the_answer_and_is_named(launcher: Launcher, tmp_path: Path) -> None:
    project = foreign_project(launcher, tmp_path)
    project.file("test_number.py").write_text(TESTS)
    project.profile(PROFILE)
    with SimulatedServer(thinking) as server:
        result = project.record(server)
    assert result.says("toy: 3 of 3 replies contain thinking in their text (<think>…</think>), which is not read")
    assert {row["outcome"] for row in project.rows()} == {"correct"}
    assert {row["returned"] for row in project.rows()}.isdisjoint({"5"})
