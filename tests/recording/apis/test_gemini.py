"""Gemini's generateContent: what its answers and requests mean, held against the SDK's own types."""

from __future__ import annotations

from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.recording.answer_body import MalformedAnswer, ServerFailed
from longctx.recording.apis import api_at, canonical_path, gemini, split_path_and_body, to_answer
from longctx.recording.apis.messages import Receipt
from longctx.recording.request import digest, with_model_profile
from tests.recording.apis.examples import blocked, body, called, completion, generated

MODEL = ModelProfile(model="toy", api="gemini")
ABOUT = Receipt()
TURN = {"role": "user", "content": "a"}


def types() -> Any:
    return pytest.importorskip("google.genai").types


def test_usage_is_counted_in_one_way() -> None:
    reply = to_answer(gemini.PATH, body(generated({"text": "yes"})), ABOUT)
    assert (reply.text, reply.model, reply.stop_reason) == ("yes", "toy-001", "end_turn")
    counts = reply.input_tokens, reply.cached_tokens, reply.output_tokens, reply.thinking_tokens
    assert counts == (12, 4, 5, 3)


def test_what_is_zero_may_be_left_out() -> None:
    answer = generated({"text": "yes"}, usageMetadata={"promptTokenCount": 10})
    reply = to_answer(gemini.PATH, body(answer), ABOUT)
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == (10, None, 0)


def test_it_is_what_the_sdk_reads() -> None:
    answer = generated({"text": "Hm.", "thought": True}, {"text": "a", "thoughtSignature": "c2ln"}, called())
    read = types().GenerateContentResponse.model_validate(answer)
    thought, text, call = gemini.as_message(answer)["content"]
    assert (thought["type"], thought["thinking"]) == ("thinking", read.candidates[0].content.parts[0].text)
    assert (text["text"], text["signature"]) == (read.text, "c2ln")
    assert (call["name"], call["input"], call["id"]) == ("add", read.function_calls[0].args, "call_1")
    assert to_answer(gemini.PATH, body(answer), ABOUT).text == "a"


@pytest.mark.parametrize(
    ("answer", "reason", "category", "text"),
    [
        (generated({"text": "a"}, reason="MAX_TOKENS"), "max_tokens", "", "a"),
        (generated({"text": "a"}, reason="SAFETY"), "refusal", "safety", "a"),
        (generated(reason="RECITATION"), "refusal", "recitation", ""),
        (generated(called()), "tool_use", "", ""),
        (generated(reason="MALFORMED_FUNCTION_CALL"), "malformed_function_call", "", ""),
        (blocked("PROHIBITED_CONTENT"), "refusal", "prohibited_content", ""),
    ],
)
def test_stop_reasons_have_the_names_of_messages(answer: dict[str, Any], reason: str, category: str, text: str) -> None:
    reply = to_answer(gemini.PATH, body(answer), ABOUT)
    assert (reply.stop_reason, reply.refusal, reply.text) == (reason, category, text)


def test_every_reason_of_the_sdk_is_known_or_kept() -> None:
    known = {reason.value for reason in types().FinishReason}
    assert {*gemini.STOP_REASONS, *gemini.FILTERED} <= known
    for reason in known - {gemini.FAILED}:
        assert to_answer(gemini.PATH, body(generated({"text": "a"}, reason=reason)), ABOUT).stop_reason


def test_an_answer_by_which_the_server_failed_is_no_answer_of_the_model() -> None:
    answer = generated(reason="OTHER")
    answer["candidates"][0]["finishMessage"] = "Internal failure."
    with pytest.raises(ServerFailed, match=r"the server's answer ended with 'OTHER': Internal failure\."):
        to_answer(gemini.PATH, body(answer), ABOUT)
    assert to_answer(gemini.PATH, body(blocked("OTHER")), ABOUT).stop_reason == "refusal"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"candidates": [], "usageMetadata": {"promptTokenCount": 1}}',
        b'{"candidates": 3, "usageMetadata": {"promptTokenCount": 1}}',
        b'{"candidates": [{"content": []}]}',
        b'{"candidates": [{"content": {"parts": [{"text": 3}]}}], "usageMetadata": {"promptTokenCount": 1}}',
        b'{"candidates": [{"finishReason": 3}], "usageMetadata": {"promptTokenCount": 1}}',
        b'{"candidates": [{}], "usageMetadata": {"promptTokenCount": "many"}}',
        b'{"candidates": [{}], "usageMetadata": {"promptTokenCount": 1, "thoughtsTokenCount": -9}}',
        b'{"candidates": [{}], "usageMetadata": []}',
        b'{"promptFeedback": "no", "usageMetadata": {"promptTokenCount": 1}}',
        body(completion()),
        body(generated({"text": "a"}))[:-40],
    ],
)
def test_an_answer_of_another_form_is_refused(content: bytes) -> None:
    with pytest.raises(MalformedAnswer, match="is not one of generateContent"):
        to_answer(gemini.PATH, content, ABOUT)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/models/toy:generateContent",
        "/v1beta/models/toy:streamGenerateContent",
        "/v1beta1/projects/p/locations/l/publishers/google/models/toy:generateContent",
        gemini.PATH,
    ],
)
def test_a_path_belongs_to_the_api_whatever_its_version_and_server(path: str) -> None:
    assert api_at(path) is gemini
    assert canonical_path(path) == gemini.PATH


def test_counts_and_other_methods() -> None:
    assert canonical_path("/v1/models/toy:countTokens") == gemini.COUNT_PATH
    assert api_at("/v1/models/toy:embedContent") is None
    assert api_at("/v1/publishers/anthropic/models/claude:rawPredict") is None


def test_the_model_is_sent_in_the_path() -> None:
    assert split_path_and_body(gemini.PATH, {"model": "to/y", "contents": []}) == (
        "/models/to%2Fy:generateContent",
        {"contents": []},
    )


def test_the_digest_covers_path_and_model_and_not_the_price() -> None:
    asked = {"model": "toy", "contents": [{"role": "user", "parts": [{"text": "a"}]}]}
    pinned = digest(asked, path=gemini.PATH)
    assert pinned == "572f65b7a1f35c6bf78b0fb6f7866bdbe0b197ba3c4fea3b668f2b361bb64e2e"
    assert digest({**asked, "labels": {"team": "us"}, "serviceTier": "flex", "store": True}, path=gemini.PATH) == pinned
    assert digest({**asked, "model": "other"}, path=gemini.PATH) != pinned
    assert digest({**asked, "cachedContent": "cachedContents/x"}, path=gemini.PATH) != pinned


REQUEST: dict[str, Any] = {
    "max_tokens": 9,
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "1 + 1?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "tool_use", "id": "call_1", "name": "add", "input": {"a": 1}, "signature": "c2ln"},
                {"type": "tool_use", "id": "stop", "name": "stop", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "2"},
                {"type": "tool_result", "tool_use_id": "stop", "content": "No.", "is_error": True},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}},
            ],
        },
    ],
    "tools": [{"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}],
    "tool_choice": {"type": "any"},
    "temperature": 0,
    "stop_sequences": ["."],
}


def test_a_messages_request_is_rendered() -> None:
    sent = with_model_profile(REQUEST, MODEL)
    assert sent == {
        "model": "toy",
        "contents": [
            {"role": "user", "parts": [{"text": "1 + 1?"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Hm.", "thought": True},
                    {"functionCall": {"id": "call_1", "name": "add", "args": {"a": 1}}, "thoughtSignature": "c2ln"},
                    {"functionCall": {"name": "stop", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": "call_1", "name": "add", "response": {"output": "2"}}},
                    {"functionResponse": {"name": "stop", "response": {"error": "No."}}},
                    {"inlineData": {"mimeType": "image/png", "data": "cG5n"}},
                ],
            },
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"maxOutputTokens": 9, "temperature": 0, "stopSequences": ["."]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "add", "description": "Adds.", "parametersJsonSchema": {"type": "object"}}
                ]
            }
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
    }
    for turn in sent["contents"]:
        types().Content.model_validate(turn)
    types().Tool.model_validate(sent["tools"][0])
    types().GenerationConfig.model_validate(sent["generationConfig"])
    types().ToolConfig.model_validate(sent["toolConfig"])


def test_a_request_is_read_as_it_was_rendered() -> None:
    seen = gemini.as_request(with_model_profile(REQUEST, MODEL))
    assert (seen["system"], seen["messages"][0]["content"]) == ("Be brief.", [{"type": "text", "text": "1 + 1?"}])
    assert [block["type"] for block in seen["messages"][1]["content"]] == ["thinking", "tool_use", "tool_use"]
    assert seen["messages"][2]["content"][0] == {
        "type": "tool_result",
        "tool_use_id": "call_1",
        "content": '{"output": "2"}',
    }


def test_names_in_snake_case_and_counts_are_read() -> None:
    asked = {"system_instruction": {"parts": {"text": "s"}}, "contents": [{"parts": [{"text": "a"}]}]}
    assert gemini.as_request({"generateContentRequest": asked})["system"] == "s"
    assert gemini.most_tokens({"generation_config": {"max_output_tokens": 7}}) == 7
    assert gemini.most_tokens({}) is None


@pytest.mark.parametrize(
    ("profile", "config"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 2048}}, {"thinkingBudget": 2048}),
        ({"thinking": {"type": "adaptive", "display": "summarized"}}, {"thinkingBudget": -1, "includeThoughts": True}),
        ({"thinking": {"type": "disabled"}}, {"thinkingBudget": 0}),
        ({"effort": "low"}, {"thinkingLevel": "LOW"}),
    ],
)
def test_thinking_and_effort_of_a_profile(profile: dict[str, Any], config: dict[str, Any]) -> None:
    model = ModelProfile.model_validate({"model": "toy", "api": "gemini", "system": "Ours.", **profile})
    sent = with_model_profile({"max_tokens": 9, "messages": [TURN]}, model)
    assert sent["generationConfig"] == {"maxOutputTokens": 9 + model.thinking_tokens, "thinkingConfig": config}
    assert sent["systemInstruction"] == {"parts": [{"text": "Ours."}]}
    types().GenerationConfig.model_validate(sent["generationConfig"])


def test_extra_body_overrides_the_entries_that_it_names() -> None:
    extra = {"generationConfig": {"seed": 7, "temperature": 0}, "safetySettings": []}
    sent = with_model_profile({"max_tokens": 9, "messages": [TURN]}, MODEL.model_copy(update={"extra_body": extra}))
    assert sent["generationConfig"] == {"maxOutputTokens": 9, "seed": 7, "temperature": 0}
    assert sent["safetySettings"] == []


def test_a_structured_answer() -> None:
    form = {"format": {"type": "json_schema", "schema": {"type": "object"}}}
    config = with_model_profile({"max_tokens": 9, "messages": [TURN], "output_config": form}, MODEL)["generationConfig"]
    assert (config["responseMimeType"], config["responseJsonSchema"]) == ("application/json", {"type": "object"})


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(blocks)}]}


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"context_management": {}}, "context_management"),
        (user({"type": "document", "source": {"type": "text", "data": "a"}}), "document"),
        (user({"type": "image", "source": {"type": "url", "url": "http://a.test"}}), "an image from 'url'"),
        (user({"type": "tool_result", "tool_use_id": "t", "content": "a"}), "whose call is in no turn"),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "server's tool"),
        ({"tools": [{"name": "add", "input_schema": {}, "strict": True}]}, "a strict tool"),
        ({"thinking": {"type": "between_tools"}}, "between_tools"),
        ({"thinking": {"type": "disabled"}, "output_config": {"effort": "low"}}, "thinking and effort"),
        ({"output_config": {"effort": "max"}}, "the effort 'max'"),
    ],
)
def test_what_the_api_cannot_express_is_refused(changed: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=named):
        with_model_profile({"max_tokens": 9, "messages": [TURN], **changed}, MODEL)


def test_a_streamed_answer_has_each_part_in_a_chunk() -> None:
    chunks = list(gemini.chunks_of(generated({"text": "a"}, called())))
    assert [len(chunk["candidates"][0]["content"]["parts"]) for chunk in chunks] == [1, 1]
    assert [chunk["candidates"][0].get("finishReason") for chunk in chunks] == [None, "STOP"]
    assert list(gemini.chunks_of(blocked("SAFETY"))) == [blocked("SAFETY")]
    assert len(list(gemini.chunks_of(generated(reason="SAFETY")))) == 1


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"caching": {}}, "caching belongs to the Messages API"),
        ({"accepts": {"system": "user"}}, "accepts is for models with an OpenAI API"),
        ({"key": "OPENAI_API_KEY"}, "would be sent to Google"),
        ({"key": "MINE_API_KEY"}, "would be sent to Google"),
        ({"provider": "vertex"}, "supports only the Messages API"),
    ],
)
def test_settings_of_other_apis_are_refused_in_a_profile(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ModelProfile.model_validate({"model": "toy", "api": "gemini", **given})
