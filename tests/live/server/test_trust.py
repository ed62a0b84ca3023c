"""Warnings about a server: each fault of a gateway is reported with its consequences, and nothing else is."""

from __future__ import annotations

import asyncio

import pytest

from longctx.config.models import Caching, ModelProfile
from longctx.live.server.client import open_client
from longctx.live.server.trust import BEGINNING, Trust, of_prefill, of_stop_reason, try_trust
from longctx.vocabulary.cell import Reply
from tests.gateway import Gateway
from tests.servers import SimulatedServer, failing

DOUBTED = {
    "zero": [
        "Its usage counts 0 input tokens for a prompt of 1,",
        "counts no output tokens",
        "--ctx-max-cost",
    ],
    "no output": ["counts no output tokens for an answer that has a text"],
    "cached dropped": [
        "is counted with 10 when it is sent again",
        "costs, and the tokens in its rows and tables, are too low",
    ],
    "cached twice": ["counts what is read from the cache twice", "are too high"],
    "no cache": ["names no token as read from a cache", "counted too high, at the full price"],
    "end_turn": ["cut off at max_tokens has the stop reason end_turn", "judges them as wrong or unparseable"],
    "no stop reason": ["cut off at max_tokens has no stop reason"],
    "no limit": ["answers with 100 tokens where max_tokens is 16", "--ctx-max-cost may be crossed"],
    "system dropped": ["A system prompt is ignored, and not counted", "measured as if they had none"],
    "system unheeded": [
        "Asked for a word that a system prompt tells, it answers 'yes': if the prompt is dropped",
        "measured as if they had none",
    ],
    "one count": ["count_tokens gives 12 tokens for a prompt, but the usage of its answer counts 1,9", "estimate"],
    "another tokenizer": ["count_tokens gives 2,5", "counted by questions of one token"],
}
"""The warning about each fault of a gateway."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.live.server.client.RETRIES", 0)


def trust(server: SimulatedServer, model: ModelProfile) -> Trust:
    async def run() -> Trust:
        async with open_client(None, server.url, 1) as client:
            return await try_trust(client, model, print)

    return asyncio.run(run())


def trusted(fault: str, **profile: object) -> Trust:
    gateway = Gateway(fault)
    with SimulatedServer(gateway.answer) as server:
        server.counting = gateway.count
        return trust(server, ModelProfile.model_validate({"model": "toy", **profile}))


@pytest.mark.parametrize("fault", ["", "no count", "html count"])
def test_nothing_is_said_against_a_faithful_server(fault: str) -> None:
    """A missing count is reported only where tokens are counted."""
    assert trusted(fault) == Trust((), counts=True)


@pytest.mark.parametrize("fault", DOUBTED)
def test_a_fault_is_told_with_what_follows(fault: str) -> None:
    trust = trusted(fault)
    warnings = "\n".join(trust.warnings)
    assert [part for part in DOUBTED[fault] if part not in warnings] == []
    assert len(trust.warnings) == (2 if fault == "zero" else 1)
    assert trust.counts == (fault not in ("one count", "another tokenizer"))


def test_a_prompt_is_long_enough_for_the_models_cache_and_marked_for_it() -> None:
    with SimulatedServer(Gateway().answer) as server:
        trust(server, ModelProfile(model="toy", caching=Caching(min_tokens=4096)))
    [block] = server.asked[0]["messages"][0]["content"]
    assert block["cache_control"] == {"type": "ephemeral"}
    assert len(block["text"].split()) > 4096


def test_a_prompt_fits_a_small_window() -> None:
    with SimulatedServer(Gateway().answer) as server:
        trust(server, ModelProfile(model="toy", window=512))
    assert len(server.asked[0]["messages"][0]["content"][0]["text"].split()) < 256


def test_what_cannot_be_tried_is_reported() -> None:
    with SimulatedServer(failing(400, "no such thing")) as server:
        warnings = trust(server, ModelProfile(model="toy")).warnings
    assert [sentence.split(" could not be tried: ")[0] for sentence in warnings] == [
        "Its usage",
        "Its stop reasons",
        "A system prompt",
    ]


def reply(text: str, stop_reason: str = "end_turn", output_tokens: int = 8) -> Reply:
    return Reply(text, stop_reason, "toy", 100, None, output_tokens, None, "", "", True)


@pytest.mark.parametrize("text", [" quince.", f"{BEGINNING} quince.", ' "Quince".', "quince"])
def test_a_prefill_is_continued(text: str) -> None:
    assert not of_prefill(reply(text))


@pytest.mark.parametrize("text", ["", "Certainly! The code word is quince.", "Apple, apple."])
def test_a_prefill_is_not_continued(text: str) -> None:
    [warning] = of_prefill(reply(text))
    assert warning.startswith("A prefill is taken, but the answer does not go on from it: with prefill = true, ")


@pytest.mark.parametrize("text", ["1, 2, 3, 100", "I will not count."])
def test_an_answer_that_ended_by_itself_says_nothing_of_stop_reasons(text: str) -> None:
    assert not of_stop_reason(reply(text))
