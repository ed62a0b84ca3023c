"""SDK clients on the recordings: what a product's code sends, and what it receives."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import anthropic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.functions.ask import Ask
from longctx.functions.measure import run
from longctx.functions.trial import TestMistake
from longctx.recording.apis.messages import events_of
from longctx.recording.tape import Tape
from longctx.vocabulary.protocol_cell import Suspended
from tests.functions.examples import cell_of, trial_of
from tests.functions.rounds import Rounds, load


@pytest.fixture
def rounds(tape: Tape) -> Rounds:
    return Rounds(tape)


def create(client: anthropic.Anthropic, text: str = "a", **more: Any) -> anthropic.types.Message:
    return client.messages.create(model="product", max_tokens=9, messages=[{"role": "user", "content": text}], **more)


def test_a_reply_is_what_was_recorded(rounds: Rounds) -> None:
    message = rounds.run(lambda ask: create(ask.client()))
    assert message.content[0].text == "reply 0"
    assert message.usage.input_tokens == 10
    assert rounds.rounds == 2


def test_the_model_is_replaced_by_the_case_s_or_the_named(rounds: Rounds) -> None:
    rounds.run(lambda ask: [create(ask.client()), create(ask.client(model="other"))])
    assert [exchange.body["model"] for exchange in rounds.trial.exchanges] == ["toy", "other"]
    assert [exchange.place.file.partition("/")[0] for exchange in rounds.trial.exchanges] == ["toy", "other"]
    with pytest.raises(TestMistake, match="no-such-model"):
        rounds.run(lambda ask: create(ask.client(model="unknown")))


def test_a_stream_has_the_message_in_events(rounds: Rounds) -> None:
    def code(ask: Ask) -> tuple[str, anthropic.types.Message]:
        turn: Any = {"role": "user", "content": "a"}
        with ask.client().messages.stream(model="product", max_tokens=9, messages=[turn]) as stream:
            return "".join(stream.text_stream), stream.get_final_message()

    text, message = rounds.run(code)
    assert text == message.content[0].text == "reply 0"
    assert message.stop_reason == "end_turn"
    assert "stream" not in rounds.trial.exchanges[0].body


def test_events_of_create_with_stream(rounds: Rounds) -> None:
    types = rounds.run(lambda ask: [event.type for event in create(ask.client(), stream=True)])
    assert (types[0], types[-1]) == ("message_start", "message_stop")


def test_a_streamed_and_a_plain_request_are_the_same(rounds: Rounds) -> None:
    rounds.run(lambda ask: create(ask.client()))
    before = rounds.rounds
    rounds.run(lambda ask: list(create(ask.client(), stream=True)))
    assert rounds.rounds == before + 1


def test_tokens_are_counted(rounds: Rounds) -> None:
    turn: Any = {"role": "user", "content": "a"}
    counted = rounds.run(lambda ask: ask.client().messages.count_tokens(model="product", messages=[turn]))
    assert counted.input_tokens == 10


def test_betas_are_treatments_and_credentials_are_not(rounds: Rounds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://stranger.invalid")
    turn: Any = {"role": "user", "content": "a"}
    rounds.run(
        lambda ask: ask.client().beta.messages.create(
            model="product", max_tokens=9, messages=[turn], betas=["context-1m-2025-08-07"]
        )
    )
    [exchange] = rounds.trial.exchanges
    assert exchange.place.headers == "anthropic-beta: context-1m-2025-08-07"


def test_clients_of_bedrock_and_vertex_send_the_same_request(rounds: Rounds, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/models.md, Other clouds"""
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    keys: dict[str, Any] = {"aws_access_key": "AKIAFAKE", "aws_secret_key": "secret", "aws_region": "eu-west-1"}

    def bedrock(ask: Ask) -> Any:
        return create(anthropic.AnthropicBedrock(**keys, http_client=ask.http_client()))

    def vertex(ask: Ask) -> Any:
        given: dict[str, Any] = {"project_id": "p", "region": "europe-west1", "access_token": "secret"}
        return create(anthropic.AnthropicVertex(**given, http_client=ask.http_client()))

    assert rounds.run(lambda ask: create(ask.client())).content[0].text == "reply 0"
    for code in (bedrock, vertex):
        assert rounds.run(code).content[0].text == "reply 0"
        [exchange] = rounds.trial.exchanges
        assert (exchange.place.path, exchange.body["model"]) == ("/v1/messages", "toy")
    assert rounds.rounds == 4  # each finds the answer that was recorded for the first


@pytest.mark.parametrize(
    "code",
    [
        lambda client: client.models.list(),
        lambda client: client.messages.batches.list(),
        lambda client: client.beta.files.list(),
    ],
)
def test_other_requests_are_a_mistake_that_no_code_handles(rounds: Rounds, code: Any) -> None:
    def careful(ask: Ask) -> None:
        try:
            code(ask.client())
        except Exception:
            create(ask.client())

    with pytest.raises(TestMistake, match="request-not-recordable"):
        rounds.run(careful)


def test_retries_of_a_product_do_not_see_the_suspension(rounds: Rounds) -> None:
    tried = []

    def retrying(ask: Ask) -> Any:
        for attempt in range(3):
            tried.append(attempt)
            try:
                return create(ask.client())
            except Exception:
                continue
        raise AssertionError("never answered")

    assert rounds.run(retrying).content[0].text == "reply 0"
    assert tried == [0, 0]


async def one(client: anthropic.AsyncAnthropic, text: str) -> str:
    message = await client.messages.create(model="product", max_tokens=9, messages=[{"role": "user", "content": text}])
    return message.content[0].text  # type: ignore[union-attr]


def gathered(ask: Ask) -> list[str]:
    async def code() -> list[str]:
        client = ask.async_client()
        return list(await asyncio.gather(*(one(client, text) for text in "abc")))

    return asyncio.run(code())


def grouped(ask: Ask) -> list[str]:
    async def code() -> list[str]:
        client = ask.async_client().with_options(timeout=5)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(client, text)) for text in "abc"]
        return [task.result() for task in tasks]

    return asyncio.run(code())


@pytest.mark.parametrize("code", [gathered, grouped])
def test_what_is_asked_at_once_is_sent_at_once_and_follows_one_reply(rounds: Rounds, code: Any) -> None:
    def twice(ask: Ask) -> list[str]:
        create(ask.client(), "first")
        return [*code(ask), create(ask.client(), "last").content[0].text]

    assert rounds.run(twice) == ["reply 1", "reply 2", "reply 3", "reply 4"]
    assert rounds.rounds == 4  # the first, all three, the last, and the run that lacks nothing
    place = [exchange.place for exchange in rounds.trial.exchanges]
    assert [each.number for each in place] == [0, 1, 2, 3, 4]
    assert place[1].after == place[2].after == place[3].after != place[0].after


def test_one_of_several_that_changed_is_stale(rounds: Rounds) -> None:
    rounds.run(gathered)
    trial = trial_of(cell_of(), tape=rounds.tape)

    async def changed() -> None:
        client = Ask(lambda: trial, load).async_client()
        await asyncio.gather(*(one(client, text) for text in "aXc"))

    assert run(trial, lambda: asyncio.run(changed())).kind == "suspended"
    [lacking] = trial.unanswered
    assert rounds.tape.status(lacking.place) == "stale"


def test_threads_are_answered(rounds: Rounds) -> None:
    def code(ask: Ask) -> list[str]:
        client, found = ask.client(), dict.fromkeys("abc", "")

        def asked(text: str) -> None:
            try:
                found[text] = create(client, text).content[0].text
            except Suspended:
                return

        threads = [threading.Thread(target=asked, args=(text,)) for text in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return list(found.values())

    assert sorted(rounds.run(code)) == ["reply 0", "reply 1", "reply 2"]


BLOCKS: list[dict[str, Any]] = [
    {"type": "text", "text": "Hello.", "citations": None},
    {
        "type": "text",
        "text": "cited",
        "citations": [
            {
                "type": "char_location",
                "cited_text": "c",
                "document_index": 0,
                "document_title": None,
                "start_char_index": 0,
                "end_char_index": 1,
                "file_id": None,
            }
        ],
    },
    {"type": "thinking", "thinking": "hm", "signature": "abc"},
    {"type": "redacted_thinking", "data": "xyz"},
    {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": [1, {"b": "ü"}]}, "caller": None},
    {"type": "tool_use", "id": "t2", "name": "none", "input": {}, "caller": None},
]


@given(st.lists(st.sampled_from(BLOCKS), max_size=4))
@settings(max_examples=30, deadline=None)
def test_the_sdk_puts_the_events_of_a_stream_together_to_the_message(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[dict[str, Any]]
) -> None:
    rounds = Rounds(Tape(tmp_path_factory.mktemp("tape"), "once", run="first"), content=blocks)
    plain = rounds.run(lambda ask: create(ask.client()))

    def code(ask: Ask) -> anthropic.types.Message:
        turn: Any = {"role": "user", "content": "a"}
        with ask.client().messages.stream(model="product", max_tokens=9, messages=[turn]) as stream:
            return stream.get_final_message()

    streamed = rounds.run(code)
    assert [block.to_dict() for block in streamed.content] == [block.to_dict() for block in plain.content]
    assert streamed.usage.output_tokens == plain.usage.output_tokens
    assert streamed.stop_reason == plain.stop_reason


def test_a_message_with_the_least_that_is_recorded_is_streamed() -> None:
    events = list(events_of({"content": [{"type": "unknown", "x": 1}], "usage": {}, "model": "toy"}))
    assert [event["type"] for event in events] == [
        "message_start",
        "content_block_start",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
