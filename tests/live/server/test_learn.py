"""What a server says about a model without charge; it is read strictly and within a time limit."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import anthropic
import pytest

from longctx.config.models import ModelProfile
from longctx.config.prompts import PromptSet
from longctx.live.server.client import Client
from longctx.live.server.counting import ask_token_count, described_by_server, token_counts, tokens_per_unit
from longctx.recording.answer_body import MalformedAnswer
from longctx.registry import shipped
from longctx.vocabulary.declaration import Protocol
from tests.here import HERE
from tests.live.clients import called
from tests.live.server.shapes import LITTLE_OF_MODELS, NO_COUNTS, NO_MODELS, ONE_COUNT
from tests.protocols import Passkey
from tests.servers import Script, SimulatedServer

TOY = ModelProfile(model="toy")
SEED = PromptSet.open(HERE, "protocol")


pytestmark = pytest.mark.usefixtures("without_retries")


def asked(call: Callable[[Client], Awaitable[Any]], **scripts: Script) -> Any:
    """Call with a client of a server with these scripts, and return the result."""
    with SimulatedServer() as server:
        for name, script in scripts.items():
            setattr(server, name, script)
        return called(server.url, call)


def test_tokens_are_counted() -> None:
    assert asked(lambda client: ask_token_count(client, TOY, "three small words")) == 3


@pytest.mark.parametrize("shape", NO_COUNTS)
def test_no_other_shape_is_a_count(shape: str) -> None:
    with pytest.raises((MalformedAnswer, anthropic.APIStatusError)) as raised:
        asked(lambda client: ask_token_count(client, TOY, "three small words"), counting=NO_COUNTS[shape])
    if isinstance(raised.value, MalformedAnswer):
        assert re.match(r"the server's answer is no count of tokens \(.*\); it begins with b['\"]", str(raised.value))


def test_counts_that_contradict_each_other_are_no_measure() -> None:
    """Every text takes 12 tokens, which leaves none for a filler."""
    wording = SEED.wording(Passkey)
    with pytest.raises(MalformedAnswer, match=r"the server's counts cannot be right: .*filler"):
        asked(lambda client: token_counts(client, TOY, Passkey.declared, wording), counting=ONE_COUNT)
    with pytest.raises(MalformedAnswer, match=r"the server's counts cannot be right: .*line"):
        asked(lambda client: tokens_per_unit(HERE, client, TOY), counting=ONE_COUNT)


MEASURED = [test for test in shipped().values() if test.counts]


@pytest.mark.parametrize("test", MEASURED, ids=lambda test: str(test.name))
@pytest.mark.parametrize(
    "lie",
    [
        lambda text: 12,
        lambda text: 10**6 - len(text),
        lambda text: 1 + len(text) // 1000,
        lambda text: 10**6 * len(text),
    ],
)
def test_no_test_is_measured_by_counts_that_cannot_be_right(test: Protocol, lie: Callable[[str], int]) -> None:
    async def counter(client: Client, model: ModelProfile, text: str, system: str) -> int:
        return lie(text)

    with pytest.raises(MalformedAnswer, match="the server's counts cannot be right: "):
        called("http://127.0.0.1:1", lambda client: token_counts(client, TOY, test, SEED.wording(test.cell), counter))


@pytest.mark.parametrize("shape", NO_MODELS)
def test_what_is_no_description_of_a_model(shape: str) -> None:
    with pytest.raises(
        MalformedAnswer, match=r"^the server's answer is no description of a model \(.*\); it begins with b'"
    ):
        asked(lambda client: described_by_server(client, TOY), telling=NO_MODELS[shape])


@pytest.mark.parametrize("shape", LITTLE_OF_MODELS)
def test_what_tells_nothing_of_a_model(shape: str) -> None:
    assert {
        name: value
        for name, value in asked(
            lambda client: described_by_server(client, TOY), telling=LITTLE_OF_MODELS[shape]
        ).items()
        if value
    } == {}
