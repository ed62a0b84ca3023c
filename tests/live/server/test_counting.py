"""Counting by the server: of the complete request, and of prompts that differ in size."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from longctx.cells.cell import Cell
from longctx.config.models import ModelProfile, Thinking
from longctx.config.prompts import PromptSet
from longctx.corpus.question_bank import load_bank
from longctx.live.server.counting import with_counted_tokens
from longctx.recording.request import Request
from tests.here import HERE
from tests.live.clients import called
from tests.protocols import Control
from tests.recording.examples import line_cell, requests_of
from tests.servers import SimulatedServer, count_tokens

TOOLS = [{"name": "look_up", "description": "Look a word up.", "input_schema": {"type": "object"}}]
EDITS = {"edits": [{"type": "clear_tool_uses_20250919"}]}


def counts(server: SimulatedServer, requests: Sequence[Request]) -> list[Request]:
    return called(server.url, lambda client: with_counted_tokens(client, requests, print))


@pytest.fixture
def server() -> SimulatedServer:
    return SimulatedServer()


def test_everything_that_a_request_holds_is_counted(server: SimulatedServer) -> None:
    cell = line_cell(
        system="You are terse.",
        thinking=Thinking(type="adaptive"),
        effort="low",
        extra_body={"tools": TOOLS, "context_management": EDITS, "temperature": 0},
    )
    with server:
        counts(server, requests_of(cell))
    [counting] = server.received
    assert counting.path == "/v1/messages/count_tokens"
    assert set(counting.body) == {
        "model", "messages", "system", "thinking", "output_config", "tools", "context_management",
    }  # fmt: skip
    assert (counting.body["tools"], counting.body["context_management"]) == (TOOLS, EDITS)
    assert counting.body["system"] == "You are terse."


def test_prompts_of_one_cell_are_counted_by_their_mean_length(server: SimulatedServer) -> None:
    """The sections that controls ask about differ in size, so that the first prompt says little of the others."""
    wording = PromptSet.open(HERE, "protocol").wording(Control)
    bank = load_bank(HERE, None, None, "toy")
    cell = Cell(ModelProfile(model="toy"), wording, Control(5000, "right", bank=lambda: bank), seed=0, trials=24)
    trials = [request.ready() for request in requests_of(cell)]
    sizes = [count_tokens(trial.build().user) for trial in trials]
    assert min(sizes) < max(sizes)
    with server:
        answers = counts(server, trials)
    assert answers[0].cell.size_tokens == pytest.approx(sum(sizes) / len(sizes), rel=0.05)
    assert len(server.received) == 1
