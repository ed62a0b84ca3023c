"""A prompt that the server's filter blocks is a refusal of the model, recorded once."""

from __future__ import annotations

import json
from pathlib import Path

from tests.integration.conftest import Checkout, Launcher, foreign_project
from tests.recording.apis.examples import BLOCKED
from tests.servers import Answer, Received, SimulatedServer

TESTS = """
import pytest


@pytest.mark.longctx(trials=4)
def test_asked(ask, draw):
    assert "yes" in ask(f"Say yes {draw.integer(10, 99)}").text


@pytest.mark.longctx(trials=4)
def test_product(ask, draw):
    turn = {"role": "user", "content": f"Say yes, product {draw.integer(10, 99)}"}
    said = ask.client("openai").chat.completions.create(model="product", messages=[turn])
    assert "yes" in said.choices[0].message.content
"""
PROFILE = """
about = "Blocked."
models = ["toy"]
"""
MODEL = 'api = "openai-chat"\n'


class Server(SimulatedServer):
    """A server of chat completions that gives one answer to all."""

    given: tuple[int, object]

    def answer(self, request: Received) -> Answer:
        self.received.append(request)
        return self.given[0], {}, json.dumps(self.given[1]).encode()


def project_of(launcher: Launcher, tmp_path: Path) -> Checkout:
    project = foreign_project(launcher, tmp_path)
    project.file("test_blocked.py").write_text(TESTS)
    project.profile(PROFILE)
    project.file("fixtures/models").mkdir(parents=True, exist_ok=True)
    project.file("fixtures/models/toy.toml").write_text(MODEL)
    return project


def test_a_blocked_prompt_is_a_recorded_refusal(launcher: Launcher, tmp_path: Path) -> None:
    project = project_of(launcher, tmp_path)
    with Server() as server:
        server.given = 400, BLOCKED
        project.record(server, env={"OPENAI_API_KEY": "key"})
        sent = len(server.received)
        assert sent == len(project.rows())
        assert {row["outcome"] for row in project.rows()} == {"refusal"}
        assert {row["refusal"] for row in project.rows()} == {"content_filter"}
        project.record(server, env={"OPENAI_API_KEY": "key"})
        assert len(server.received) == sent
    assert {row["outcome"] for row in project.rows()} == {"refusal"}
