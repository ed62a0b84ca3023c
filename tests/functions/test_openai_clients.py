"""The OpenAI SDK on the recordings: tool loops, streams, parsed answers, and what is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.functions.ask import Ask
from longctx.functions.measure import run
from longctx.functions.trial import TestMistake
from longctx.recording.tape import Tape
from tests.functions.rounds import Rounds, Sum
from tests.recording.apis.examples import BLOCKED, CALL, completion, response, said

openai = pytest.importorskip("openai")
MODEL = ModelProfile(model="toy", api="openai-chat")
CHAT = "/v1/chat/completions"
TURN = {"role": "user", "content": "a"}
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}]


@pytest.fixture
def rounds(tape: Tape) -> Rounds:
    return Rounds(tape, MODEL)


def create(client: Any, **more: Any) -> Any:
    return client.chat.completions.create(model="product", messages=[TURN], **more)


def test_a_reply_is_what_was_recorded_and_the_model_is_replaced(rounds: Rounds) -> None:
    answer = rounds.run(lambda ask: create(ask.client("openai")), completion("hello"))
    assert answer.choices[0].message.content == "hello"
    [exchange] = rounds.trial.exchanges
    assert (exchange.body["model"], exchange.place.path) == ("toy", "/v1/chat/completions")
    assert exchange.answer is not None
    assert exchange.answer.input_tokens == 10


class OnHttpx:
    """What an SDK is built on that does not use httpx2."""


@pytest.mark.parametrize(
    "code",
    [
        lambda ask, client: ask.client("openai"),
        lambda ask, client: ask.async_client("openai"),
        lambda ask, client: ask.client(like=client),
    ],
)
def test_an_sdk_on_httpx_is_refused_before_anything_is_sent(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch, code: Any
) -> None:
    own = openai.OpenAI(api_key="any")
    monkeypatch.setattr(openai, "DefaultHttpxClient", OnHttpx)
    sentence = r"openai [\d.]+ is built on httpx, .* httpx2: pip install 'openai>=3', .*longctx_endpoint.*sdk-on-httpx"
    with pytest.raises(TestMistake, match=sentence):
        rounds.run(lambda ask: create(code(ask, own)), completion("hello"))
    assert rounds.asked == 0


def test_a_tool_loop(rounds: Rounds) -> None:
    def loop(ask: Ask) -> str:
        client, messages = ask.client("openai"), [dict(TURN)]
        while True:
            said = client.chat.completions.create(model="product", messages=messages, tools=TOOLS).choices[0].message
            if not said.tool_calls:
                return str(said.content)
            messages.append(said.model_dump(exclude_none=True))
            messages += [{"role": "tool", "tool_call_id": call.id, "content": "2"} for call in said.tool_calls]

    assert rounds.run(loop, completion(None, "tool_calls", tool_calls=[CALL]), completion("It is 2.")) == "It is 2."
    assert rounds.asked == 2


def test_a_streamed_and_a_plain_request_are_the_same(rounds: Rounds) -> None:
    assert rounds.run(lambda ask: create(ask.client("openai")), completion("hello")).choices
    options = {"include_usage": True}
    chunks = rounds.run(lambda ask: list(create(ask.client("openai"), stream=True, stream_options=options)))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "hello"
    assert chunks[-1].usage.prompt_tokens == 10
    assert rounds.asked == 1


def test_a_streamed_structured_answer(rounds: Rounds) -> None:
    def code(ask: Ask) -> Any:
        asked = {"model": "product", "messages": [TURN], "response_format": Sum}
        with ask.client("openai").chat.completions.stream(**asked) as stream:
            return stream.get_final_completion()

    assert rounds.run(code, completion('{"total": 2}')).choices[0].message.parsed == Sum(total=2)


def test_streamed_tool_calls(rounds: Rounds) -> None:
    def code(ask: Ask) -> Any:
        with ask.client("openai").chat.completions.stream(model="product", messages=[TURN], tools=TOOLS) as stream:
            return stream.get_final_completion()

    found = rounds.run(code, completion(None, "tool_calls", tool_calls=[CALL]))
    assert found.choices[0].message.tool_calls[0].function.arguments == '{"a": 1}'


def test_a_blocked_prompt_is_the_error_that_the_server_gives(rounds: Rounds) -> None:
    """Code that goes on without an answer is judged; an error that it lets out is a refusal, and none of the test."""

    def handled(ask: Ask) -> str:
        try:
            return str(create(ask.client("openai")))
        except openai.BadRequestError as error:
            return str(error.code)

    assert rounds.run(handled, BLOCKED) == "content_filter"
    assert run(rounds.trial_again(), lambda: create(rounds.ask.client("openai"))).kind == "refusal"
    assert run(rounds.trial_again(), lambda: create(rounds.ask.client("openai"), stream=True)).kind == "refusal"
    assert run(rounds.trial_again(), lambda: handled(rounds.ask) and 1 / 0).kind == "error"


def test_parse_and_raw_responses(rounds: Rounds) -> None:
    def code(ask: Ask) -> tuple[Any, Any]:
        completions = ask.client("openai").chat.completions
        parsed = completions.parse(model="product", messages=[TURN], response_format=Sum)
        return parsed.choices[0].message.parsed, completions.with_raw_response.create(model="p", messages=[TURN])

    parsed, raw = rounds.run(code, completion('{"total": 2}'), completion("raw"))
    assert parsed == Sum(total=2)
    assert raw.parse().choices[0].message.content == "raw"


CALLED = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add", "arguments": "{}"}


def test_responses_plain_and_streamed(rounds: Rounds) -> None:
    plain = rounds.run(
        lambda ask: ask.client("openai").responses.create(model="product", input="a"), response(said("hello"), CALLED)
    )
    assert plain.output_text == "hello"

    def streamed(ask: Ask) -> Any:
        with ask.client("openai").responses.stream(model="product", input="a") as stream:
            return "".join(event.delta for event in stream if event.type == "response.output_text.delta"), (
                stream.get_final_response()
            )

    text, final = rounds.run(streamed)
    assert (text, final.output_text, final.output[1].name) == ("hello", "hello", "add")
    assert rounds.asked == 1


def test_asynchronous_requests_at_once(rounds: Rounds) -> None:
    def code(ask: Ask) -> list[str]:
        async def one(client: Any, text: str) -> str:
            turn = {"role": "user", "content": text}
            answer = await client.chat.completions.create(model="product", messages=[turn])
            return str(answer.choices[0].message.content)

        async def both() -> list[str]:
            client = ask.async_client("openai").with_options(timeout=5)
            return [*await asyncio.gather(one(client, "a"), one(client, "b"))]

        return asyncio.run(both())

    assert rounds.run(code, completion("1"), completion("2")) == ["1", "2"]


def test_a_client_like_the_product_s_has_its_class_headers_and_retries(rounds: Rounds) -> None:
    headers = {"OpenAI-Beta": "new", "OpenAI-Project": "mine"}
    product = openai.OpenAI(api_key="secret", default_headers=headers, max_retries=7, organization="us")

    def code(ask: Ask) -> Any:
        client = ask.client(like=product)
        assert (type(client), client.max_retries) == (openai.OpenAI, 7)
        return create(client)

    rounds.run(code, completion())
    assert rounds.trial.exchanges[0].place.headers == "openai-beta: new"


def test_an_asynchronous_client_like_the_product_s(rounds: Rounds) -> None:
    product = openai.AsyncOpenAI(api_key="secret")
    found = rounds.run(lambda ask: asyncio.run(create(ask.client(like=product))), completion("hello"))
    assert found.choices[0].message.content == "hello"


def test_plain_http(rounds: Rounds) -> None:
    def code(ask: Ask) -> Any:
        url = "https://api.openai.com/v1/chat/completions"
        return ask.http_client().post(url, json={"model": "x", "messages": [TURN]}).json()

    assert rounds.run(code, completion("hello"))["choices"][0]["message"]["content"] == "hello"


def test_plain_asynchronous_http(rounds: Rounds) -> None:
    async def code(ask: Ask) -> Any:
        async with ask.async_http_client() as client:
            return (await client.post(CHAT, json={"model": "x", "messages": [TURN]})).json()

    assert rounds.run(lambda ask: asyncio.run(code(ask)), completion("hello"))["choices"][0]["finish_reason"] == "stop"


def test_azure_s_client(rounds: Rounds) -> None:
    """docs/models.md, Other clouds"""

    def code(ask: Ask) -> Any:
        azure = {"azure_endpoint": "https://mine.openai.azure.com", "api_key": "secret", "api_version": "2025-01-01"}
        return create(openai.AzureOpenAI(**azure, http_client=ask.http_client()))

    assert rounds.run(code, completion("hello")).choices[0].message.content == "hello"
    [exchange] = rounds.trial.exchanges
    assert (exchange.place.path, exchange.place.headers, exchange.body["model"]) == (CHAT, "", "toy")


def test_ask_asks_a_model_of_any_api(rounds: Rounds) -> None:
    def code(ask: Ask) -> Any:
        first = ask("1 + 1?", system="Be brief.", tools=[{"name": "add", "input_schema": {"type": "object"}}])
        turns = [{"role": "user", "content": "1 + 1?"}, first.turn, first.tool_results({"add": lambda a: a + 1})]
        return ask(messages=turns, system="Be brief.")

    answer = rounds.run(code, completion(None, "tool_calls", tool_calls=[CALL]), completion("It is 2."))
    assert (answer.integer(), answer.stop_reason) == (2, "end_turn")


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (lambda ask: ask.client("claude-haiku-5-5"), r"ask.client\(model='claude-haiku-5-5'\)"),
        (lambda ask: ask.client("anthropic"), "other-api"),
        (lambda ask: create(ask.client("openai", model="claude")), "other-api"),
        (lambda ask: ask.http_client().post("/v1/messages", json={}), "other-api"),
        (lambda ask: ask.client("openai").models.list(), "request-not-recordable"),
        (lambda ask: ask.client("openai").embeddings.create(model="x", input="a"), "request-not-recordable"),
        (lambda ask: ask.http_client().post(CHAT, content=b"no JSON"), "request-without-json"),
        (lambda ask: ask.http_client().post(CHAT, json=[1]), "request-without-json"),
        (lambda ask: ask.http_client().post(CHAT, files={"file": b"1"}), "request-without-json"),
        (lambda ask: ask.http_client().post("/model/amazon.nova/converse", json={}), "request-not-recordable"),
        (lambda ask: ask.http_client().post("/model/claude/invoke", json={}), "other-api"),
        (lambda ask: ask.http_client(model="claude").post("/model/x/invoke", json=[1]), "request-without-json"),
        (lambda ask: ask.client(like=object()), "http_client=ask.http_client"),
        (lambda ask: ask("a", top_k=3), "not-in-api"),
    ],
)
def test_what_is_refused_before_anything_is_sent(rounds: Rounds, code: Any, sentence: str) -> None:
    with pytest.raises(TestMistake, match=sentence):
        rounds.run(code)
    assert rounds.asked == 0
