"""Google's SDK on the recordings: tool loops, streams, structured answers, counts, and what is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.functions.ask import Ask
from longctx.functions.trial import TestMistake
from longctx.recording.tape import Tape
from tests.functions.rounds import Rounds, Sum
from tests.recording.apis.examples import blocked, called, generated

genai = pytest.importorskip("google.genai")
MODEL = ModelProfile(model="toy", api="gemini")
SAID = generated({"text": "hello"})


@pytest.fixture
def rounds(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> Rounds:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_API_VERSION"):
        monkeypatch.delenv(name, raising=False)
    return Rounds(tape, MODEL)


def generate(client: Any, text: str = "a", **config: Any) -> Any:
    return client.models.generate_content(model="product", contents=text, config=config or None)


def test_a_reply_is_what_was_recorded_and_the_model_is_replaced(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "AIza-secret")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    answer = rounds.run(lambda ask: generate(ask.client("google"), system_instruction="Be brief."), SAID)
    assert (answer.text, answer.usage_metadata.prompt_token_count) == ("hello", 10)
    [exchange] = rounds.trial.exchanges
    assert (exchange.body["model"], exchange.place.path) == ("toy", "/models/{model}:generateContent")
    assert exchange.place.headers == ""
    assert "model=" in exchange.place.parts
    assert "system=" in exchange.place.parts
    assert "AIza" not in f"{exchange.body}{exchange.place}"


def test_a_blocked_prompt(rounds: Rounds) -> None:
    answer = rounds.run(lambda ask: generate(ask.client("google")), blocked("SAFETY"))
    assert answer.prompt_feedback.block_reason.value == "SAFETY"
    reply = rounds.trial.last
    assert reply is not None
    assert (reply.stop_reason, reply.refusal) == ("refusal", "safety")


def test_a_tool_loop_of_the_sdk(rounds: Rounds) -> None:
    def add(a: int) -> int:
        """Add one."""
        return a + 1

    def loop(ask: Ask) -> str:
        return str(generate(ask.client("google"), "1 + 1?", tools=[add]).text)

    assert rounds.run(loop, generated(called()), generated({"text": "It is 2."})) == "It is 2."
    assert rounds.asked == 2
    [turn] = [turn for turn in rounds.trial.exchanges[1].body["contents"] if turn["role"] == "model"]
    assert turn["parts"][0]["thoughtSignature"]


def test_a_chat_of_two_turns(rounds: Rounds) -> None:
    def code(ask: Ask) -> str:
        chat = ask.client("google").chats.create(model="product")
        chat.send_message("a")
        return str(chat.send_message("b").text)

    assert rounds.run(code, generated({"text": "1"}), generated({"text": "2"})) == "2"


def test_a_streamed_and_a_plain_request_are_the_same(rounds: Rounds) -> None:
    both = generated({"text": "hel"}, {"text": "lo"})
    assert rounds.run(lambda ask: generate(ask.client("google")), both).text == "hello"
    chunks = rounds.run(
        lambda ask: list(ask.client("google").models.generate_content_stream(model="product", contents="a"))
    )
    assert [chunk.text for chunk in chunks] == ["hel", "lo"]
    assert chunks[-1].usage_metadata.prompt_token_count == 10
    assert chunks[-1].candidates[0].finish_reason.value == "STOP"
    assert rounds.asked == 1


def test_a_stream_that_is_no_stream_of_events_is_an_array(rounds: Rounds) -> None:
    def code(ask: Ask) -> Any:
        url = "https://generativelanguage.googleapis.com/v1beta/models/x:streamGenerateContent"
        return ask.http_client().post(url, json={"contents": [{"parts": [{"text": "a"}]}]}).json()

    chunks = rounds.run(code, generated({"text": "hel"}, {"text": "lo"}))
    assert [chunk["candidates"][0]["content"]["parts"][0]["text"] for chunk in chunks] == ["hel", "lo"]


def test_a_structured_answer(rounds: Rounds) -> None:
    asked = {"response_mime_type": "application/json", "response_schema": Sum}
    answer = rounds.run(lambda ask: generate(ask.client("google"), **asked), generated({"text": '{"total": 2}'}))
    assert answer.parsed == Sum(total=2)


def test_tokens_are_counted(rounds: Rounds) -> None:
    def code(ask: Ask) -> Any:
        return ask.client("google").models.count_tokens(model="product", contents="a").total_tokens

    assert rounds.run(code, {"totalTokens": 7}) == 7


def test_asynchronous_requests_at_once(rounds: Rounds) -> None:
    def code(ask: Ask) -> list[str]:
        async def one(client: Any, text: str) -> str:
            return str((await client.models.generate_content(model="product", contents=text)).text)

        async def streamed(client: Any) -> str:
            stream = await client.models.generate_content_stream(model="product", contents="a")
            return "".join([chunk.text async for chunk in stream])

        async def all_of_them() -> list[str]:
            client = ask.async_client("google")
            both = await asyncio.gather(one(client, "a"), one(ask.client("google").aio, "b"))
            return [*both, await streamed(client)]

        return asyncio.run(all_of_them())

    assert rounds.run(code, *(generated({"text": text}) for text in "123")) == ["1", "2", "3"]


@pytest.mark.parametrize("vertex", [False, True])
def test_a_client_like_the_product_s_has_its_headers_and_sends_nothing(rounds: Rounds, vertex: bool) -> None:
    options = {"headers": {"x-mode": "new"}, "timeout": 5000, "retry_options": {"attempts": 3}}
    product = genai.Client(api_key="secret", vertexai=vertex, http_options=options)

    def code(ask: Ask) -> Any:
        client = ask.client(like=product)
        assert (type(client), client.vertexai) == (genai.Client, vertex)
        return generate(client)

    assert rounds.run(code, SAID).text == "hello"
    [exchange] = rounds.trial.exchanges
    assert (exchange.place.headers, exchange.place.path) == ("x-mode: new", "/models/{model}:generateContent")
    assert product._api_client._http_options.base_url.endswith("googleapis.com/")


def test_an_asynchronous_client_like_the_product_s(rounds: Rounds) -> None:
    product = genai.Client(api_key="secret").aio

    async def code(ask: Ask) -> Any:
        return await ask.client(like=product).models.generate_content(model="product", contents="a")

    assert rounds.run(lambda ask: asyncio.run(code(ask)), SAID).text == "hello"


def test_ask_asks_a_model_of_this_api(rounds: Rounds) -> None:
    def code(ask: Ask) -> Any:
        first = ask("1 + 1?", system="Be brief.", tools=[{"name": "add", "input_schema": {"type": "object"}}])
        turns = [{"role": "user", "content": "1 + 1?"}, first.turn, first.tool_results({"add": lambda a: a + 1})]
        return ask(messages=turns, system="Be brief.")

    answer = rounds.run(code, generated(called()), generated({"text": "It is 2."}))
    assert (answer.integer(), answer.stop_reason) == (2, "end_turn")
    sent = rounds.trial.exchanges[1].body["contents"]
    assert sent[1]["parts"] == [called()]
    assert sent[2]["parts"] == [{"functionResponse": {"id": "call_1", "name": "add", "response": {"output": "2"}}}]


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (lambda ask: ask.client(), "other-api"),
        (lambda ask: ask.client("openai"), "other-api"),
        (lambda ask: generate(ask.client("google", model="claude")), "other-api"),
        (lambda ask: ask.client("gemini"), "'google'"),
        (lambda ask: ask.client("google").models.list(), "request-not-recordable"),
        (lambda ask: ask.client("google").models.embed_content(model="x", contents="a"), "request-not-recordable"),
        (lambda ask: ask("a", betas_of_ours=1), "not-in-api"),
    ],
)
def test_what_is_refused_before_anything_is_sent(rounds: Rounds, code: Any, sentence: str) -> None:
    with pytest.raises(TestMistake, match=sentence):
        rounds.run(code)
    assert rounds.asked == 0
