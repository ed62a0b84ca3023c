"""Chat completions and responses: what their answers and requests mean, held against the SDK's own types."""

from __future__ import annotations

from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.live.server.explaining import explain
from longctx.recording.answer_body import MalformedAnswer, ServerFailed
from longctx.recording.apis import api_at, canonical_path, chat, gemini, is_answer, responses, to_answer
from longctx.recording.apis.messages import Receipt
from longctx.recording.request import digest, with_model_profile
from tests.recording.apis.examples import BLOCKED, CALL, blocked, body, completion, response, said

MODEL = ModelProfile(model="toy", api="openai-chat")
ABOUT = Receipt()
TOOL_CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add", "arguments": '{"a": 1}'}
REFUSAL = {**said(""), "content": [{"type": "refusal", "refusal": "No."}]}
CUT = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
FILTERED = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}


@pytest.mark.parametrize(("path", "answer"), [(chat.PATH, completion()), (responses.PATH, response())])
def test_usage_is_counted_in_one_way(path: str, answer: dict[str, Any]) -> None:
    reply = to_answer(path, body(answer), ABOUT)
    assert (reply.text, reply.model, reply.stop_reason) == ("yes", "toy", "end_turn")
    counts = reply.input_tokens, reply.cached_tokens, reply.cache_write_tokens
    assert (*counts, reply.output_tokens, reply.thinking_tokens) == (10, 4, 1, 5, 3)


def test_it_is_what_the_sdk_reads() -> None:
    types = pytest.importorskip("openai.types")
    answer = completion(None, "tool_calls", tool_calls=[CALL])
    read = types.chat.ChatCompletion.model_validate(answer)
    [block] = chat.as_message(answer)["content"]
    assert block["name"] == read.choices[0].message.tool_calls[0].function.name
    of_responses = response(said("a"), TOOL_CALL)
    parsed = types.responses.Response.model_validate(of_responses)
    text, call = responses.as_message(of_responses)["content"]
    assert (text["text"], call["name"]) == (parsed.output_text, parsed.output[1].name)


@pytest.mark.parametrize(
    ("path", "answer", "reason", "text"),
    [
        (chat.PATH, completion("a", "length"), "max_tokens", "a"),
        (chat.PATH, completion("", "content_filter"), "refusal", ""),
        (chat.PATH, completion(None, "stop", refusal="No."), "refusal", "No."),
        (chat.PATH, completion(None, "tool_calls", tool_calls=[CALL]), "tool_use", ""),
        (responses.PATH, response(said("a"), **CUT), "max_tokens", "a"),
        (responses.PATH, response(said("a"), **FILTERED), "refusal", "a"),
        (responses.PATH, response(REFUSAL), "refusal", "No."),
        (responses.PATH, response(REFUSAL, said(" Or a.")), "refusal", "No. Or a."),
        (responses.PATH, response(TOOL_CALL), "tool_use", ""),
    ],
)
def test_stop_reasons_have_the_names_of_messages(path: str, answer: dict[str, Any], reason: str, text: str) -> None:
    reply = to_answer(path, body(answer), ABOUT)
    assert (reply.stop_reason, reply.text) == (reason, text)


@pytest.mark.parametrize("path", [chat.PATH, responses.PATH])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"type": "message", "content": [], "model": "toy", "usage": {"input_tokens": 1, "output_tokens": 1}}',
        b'{"model": "toy", "choices": [], "output": 3, "usage": {}}',
        body(completion())[:-40],
        body({name: value for name, value in completion().items() if name != "usage"}),
        body(completion() | {"usage": {"prompt_tokens": "ten", "completion_tokens": 1}}),
        body(response(status="queued")),
    ],
)
def test_an_answer_of_another_form_is_refused(path: str, content: bytes) -> None:
    with pytest.raises(MalformedAnswer, match="is not a"):
        to_answer(path, content, ABOUT)


@pytest.mark.parametrize(
    ("path", "answer", "words"),
    [
        (chat.PATH, completion(None, "error"), "'error'"),
        (chat.PATH, completion("Half of", "abort"), "'abort'"),
        (chat.PATH, completion(None, "error") | {"error": {"message": "no\ncapacity"}}, "'error': no capacity"),
        (responses.PATH, response(status="failed", error={"message": "overloaded"}), "'failed': overloaded"),
    ],
)
def test_an_answer_by_which_the_server_failed_is_no_answer_of_the_model(
    path: str, answer: dict[str, Any], words: str
) -> None:
    with pytest.raises(ServerFailed) as caught:
        to_answer(path, body(answer), ABOUT)
    assert str(caught.value) == f"the server's answer ended with {words}"
    failure = explain(caught.value, "http://toy")
    assert (failure.cause, failure.message) == ("server_error", f"{caught.value}.")
    assert not is_answer(path, body(answer))


@pytest.mark.parametrize("path", [chat.PATH, responses.PATH])
def test_a_prompt_that_a_filter_blocks_is_refused_as_by_gemini(path: str) -> None:
    content = body(BLOCKED)
    replies = [to_answer(path, content, ABOUT), to_answer(gemini.PATH, body(blocked("SAFETY")), ABOUT)]
    assert [(reply.stop_reason, reply.text) for reply in replies] == 2 * [("refusal", "")]
    assert replies[0].refusal == "content_filter"
    assert (is_answer(path, content, 400), is_answer(path, content, 200)) == (True, False)
    assert not is_answer(path, body(BLOCKED | {"error": {"code": "bad_request"}}), 400)
    assert not is_answer(path, body(completion() if path == chat.PATH else response()), 400)


def test_a_path_belongs_to_one_api() -> None:
    assert api_at("/openai/v1/chat/completions") is chat
    assert canonical_path("/openai/deployments/x/chat/completions") == "/v1/chat/completions"
    assert api_at("/v1/responses/input_tokens") is responses
    assert api_at("/v1/embeddings") is None


def test_the_digest_covers_the_path_and_not_the_price() -> None:
    asked = {"model": "toy", "messages": [{"role": "user", "content": "a"}]}
    pinned = digest(asked, path=chat.PATH)
    assert pinned == "478c9a0f29cd78ef294b6974ee2d4352a036a45360534de912ce8a8fde0e78a2"
    assert digest({**asked, "stream": True, "user": "me", "service_tier": "flex"}, path=chat.PATH) == pinned
    assert digest(asked, path=responses.PATH) != pinned != digest(asked)
    assert digest({**asked, "seed": 1}, path=chat.PATH) != pinned


REQUEST: dict[str, Any] = {
    "max_tokens": 9,
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "1 + 1?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "add", "input": {"a": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "2"}]},
    ],
    "tools": [{"name": "add", "input_schema": {"type": "object"}}],
    "tool_choice": {"type": "any"},
}


def test_a_messages_request_is_rendered_as_a_completion() -> None:
    sent = with_model_profile(REQUEST, MODEL.model_copy(update={"effort": "low"}))
    assert sent == {
        "model": "toy",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "1 + 1?"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "2"},
        ],
        "max_completion_tokens": 9,
        "reasoning_effort": "low",
        "tools": [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}],
        "tool_choice": "required",
    }


def test_a_messages_request_is_rendered_for_responses() -> None:
    sent = with_model_profile(REQUEST, ModelProfile(model="toy", api="openai-responses"))
    assert sent["instructions"] == "Be brief."
    assert sent["input"] == [
        {"role": "user", "content": "1 + 1?"},
        {"type": "function_call", "call_id": "call_1", "name": "add", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "2"},
    ]
    assert (sent["max_output_tokens"], sent["tool_choice"]) == (9, "required")


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses"])
def test_what_is_rendered_is_read_back_the_same(api: str) -> None:
    model = ModelProfile(model="toy", api=api)  # type: ignore[arg-type]
    sent = with_model_profile(REQUEST, model)
    module = chat if api == "openai-chat" else responses
    shown = module.as_request(sent)
    assert shown["system"] == "Be brief."
    assert [turn["role"] for turn in shown["messages"]] == ["user", "assistant", "user"]
    assert shown["messages"][1:] == REQUEST["messages"][1:]


DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses"])
@pytest.mark.parametrize(
    "changed",
    [
        {"messages": [{"role": "user", "content": [DOCUMENT]}]},
        {"context_management": {"edits": []}},
        {"top_k": 3},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
    ],
)
def test_what_an_api_cannot_express_is_refused(api: str, changed: dict[str, Any]) -> None:
    model = ModelProfile(model="toy", api=api)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="not-in-api"):
        with_model_profile({**REQUEST, **changed}, model)


def test_the_profile_says_what_a_server_takes() -> None:
    accepts = {"system": "developer", "limit": "max_tokens"}
    model = ModelProfile.model_validate({"model": "toy", "api": "openai-chat", "accepts": accepts})
    sent = with_model_profile(REQUEST, model)
    assert (sent["messages"][0]["role"], sent["max_tokens"]) == ("developer", 9)


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "http://127.0.0.1:1"},
        {"api": "openai-chat", "prefill": True},
        {"api": "openai-chat", "provider": "bedrock"},
        {"api": "openai-chat", "key": "ANTHROPIC_API_KEY"},
        {"api": "openai-chat", "key": "AWS_SECRET_ACCESS_KEY"},
        {"api": "openai-chat", "key": "OTHER_API_KEY"},
    ],
)
def test_settings_of_another_api_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        ModelProfile.model_validate({"model": "toy", **wrong})


def test_requests_of_messages_are_as_before() -> None:
    assert with_model_profile(REQUEST, ModelProfile(model="toy")) == {"model": "toy", **REQUEST}
