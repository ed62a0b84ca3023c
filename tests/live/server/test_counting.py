"""Counting by the server: of the complete request, and of prompts that differ in size."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from longctx.cases.case import Case, Question
from longctx.config.models import ModelProfile, Thinking
from longctx.config.prompts import PromptSet
from longctx.corpus.bank import load_bank
from longctx.live.server.client import open_client
from longctx.live.server.counting import counted
from tests.here import HERE
from tests.protocols import Control
from tests.recording.examples import line_case
from tests.servers import SimulatedServer, count_tokens

TOOLS = [{"name": "look_up", "description": "Look a word up.", "input_schema": {"type": "object"}}]
EDITS = {"edits": [{"type": "clear_tool_uses_20250919"}]}


def counts(server: SimulatedServer, questions: Sequence[Question]) -> list[Question]:
    async def run() -> list[Question]:
        async with open_client(None, server.url, 1) as client:
            return await counted(client, questions, print)

    return asyncio.run(run())


@pytest.fixture
def server() -> SimulatedServer:
    return SimulatedServer()


def test_everything_that_a_request_holds_is_counted(server: SimulatedServer) -> None:
    case = line_case(
        system="You are terse.",
        thinking=Thinking(type="adaptive"),
        effort="low",
        extra_body={"tools": TOOLS, "context_management": EDITS, "temperature": 0},
    )
    with server:
        counts(server, list(case.questions()))
    [counting] = server.received
    assert counting.path == "/v1/messages/count_tokens"
    assert set(counting.body) == {
        "model", "messages", "system", "thinking", "output_config", "tools", "context_management",
    }  # fmt: skip
    assert (counting.body["tools"], counting.body["context_management"]) == (TOOLS, EDITS)
    assert counting.body["system"] == "You are terse."


def test_prompts_of_one_scenario_are_counted_by_their_mean_length(server: SimulatedServer) -> None:
    """The sections that controls ask about differ in size, so that the first prompt says little of the others."""
    wording = PromptSet.open(HERE, "protocol").wording(Control)
    bank = load_bank(HERE, None, None, "toy")
    case = Case(ModelProfile(model="toy"), wording, Control(5000, "right", bank=lambda: bank), seed=0, trials=24)
    questions = [Question(case, question.index, built=question.build()) for question in case.questions()]
    sizes = [count_tokens(question.build().user) for question in questions]
    assert min(sizes) < max(sizes)
    with server:
        answers = counts(server, questions)
    assert answers[0].case.size_tokens == pytest.approx(sum(sizes) / len(sizes), rel=0.05)
    assert len(server.received) == 1
