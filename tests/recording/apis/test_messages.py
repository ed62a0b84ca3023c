"""Reading the reply from the body of an answer: text, usage, and bodies that are no answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis import is_answer
from longctx.recording.apis.messages import PATH, Edits, Receipt, read, to_answer
from longctx.vocabulary.answer import Answer, CompactionUsage
from longctx.vocabulary.judging import unanswered
from longctx.vocabulary.shapes import Context, Piece, judged_citations
from tests.servers import message

json_objects = st.dictionaries(st.sampled_from(["cited_text", "document_index"]), st.none() | st.integers() | st.text())


def reply(body: bytes, prefill: str = "") -> Answer:
    return to_answer(read(body), Receipt(latency_s=0.5, recorded_at="now", request_sha256="abc", live=True), prefill)


def test_all_of_a_plain_answer() -> None:
    usage = {"input_tokens": 7, "output_tokens": 2}
    assert reply(message("42", usage=usage, stop_reason="max_tokens")) == Answer(
        text="42",
        stop_reason="max_tokens",
        model="toy",
        input_tokens=7,
        cached_tokens=None,
        output_tokens=2,
        latency_s=0.5,
        recorded_at="now",
        request_sha256="abc",
        live=True,
    )


@pytest.mark.parametrize(("named", "model"), [("-", ""), ("", ""), (" ", ""), ("toy-2", "toy-2"), ("模型", "模型")])
def test_a_placeholder_names_no_model(named: str, model: str) -> None:
    assert reply(message("42", model=named)).model == model


def test_text_blocks_are_joined_and_others_left_out() -> None:
    content = [
        {"type": "thinking", "thinking": "line 3 says 7", "signature": "s"},
        {"type": "text", "text": "4"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "2"},
    ]
    assert reply(message("", content=content)).text == "42"


@pytest.mark.parametrize("stop_reason", ["refusal", "end_turn", "tool_use", "pause_turn"])
@pytest.mark.parametrize(
    "content",
    [
        [],
        [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "redacted_thinking", "data": "x"}],
        [{"type": "tool_use", "id": "t", "name": "calculator", "input": {"line": 7}}],
        [{"type": "server_tool_use", "id": "t", "name": "web_search", "input": {"query": "7"}}],
        [{"type": "a_block_of_tomorrow", "text": "7"}],
    ],
)
def test_no_text_is_an_empty_reply(content: list[dict[str, Any]], stop_reason: str) -> None:
    read = reply(message("", content=content, stop_reason=stop_reason))
    assert (read.text, read.stop_reason) == ("", stop_reason)


@pytest.mark.parametrize("given_back", ["B</Answer>", "The answer is: <Answer>B</Answer>"])
def test_the_beginning_that_was_sent_is_part_of_the_reply(given_back: str) -> None:
    assert reply(message(given_back), "The answer is: <Answer>").text == "The answer is: <Answer>B</Answer>"


def test_cached_tokens_are_input_too() -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 1}
    read = reply(message("42", usage=usage))
    assert (read.input_tokens, read.cached_tokens) == (125, 100)


def test_a_cache_that_was_not_read_is_distinguished_from_one_that_nothing_is_said_of() -> None:
    usage_sent = {"input_tokens": 5, "output_tokens": 1, "cache_read_input_tokens": 0}
    assert reply(message("42", usage=usage_sent)).cached_tokens == 0
    del usage_sent["cache_read_input_tokens"]
    assert reply(message("42", usage=usage_sent)).cached_tokens is None


def test_no_cache_may_be_said_by_null() -> None:
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": None,
        "cache_creation_input_tokens": None,
        "output_tokens": 1,
    }
    read = reply(message("42", usage=usage))
    assert (read.input_tokens, read.cached_tokens, read.cache_write_tokens) == (5, None, 0)


def compacted(**changed: int) -> dict[str, Any]:
    entry = {"type": "compaction", "input_tokens": 100, "output_tokens": 30, "cache_read_input_tokens": 50}
    last = {"type": "message", "input_tokens": 40, "output_tokens": 2}
    return {"input_tokens": 40, "output_tokens": 2, "iterations": [entry | changed, last]}


def test_the_tokens_of_a_compaction_are_added_to_those_of_the_answer() -> None:
    read = reply(message("42", usage=compacted()))
    assert (read.input_tokens, read.cached_tokens, read.output_tokens) == (190, 50, 32)
    assert read.compactions == (CompactionUsage(150, 50, 0, 0, 30),)


def test_a_compaction_that_counts_no_tokens_is_no_answer() -> None:
    with pytest.raises(MalformedAnswer):
        reply(message("42", usage=compacted(input_tokens=-1)))


def test_the_report_on_context_management_is_read_with_care() -> None:
    cleared = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3, "cleared_input_tokens": 70}
    given: dict[str, Any] = {"applied_edits": [cleared, 5, {"type": 7, "cleared_input_tokens": "x"}]}
    whole = json.loads(message("42", usage=compacted(), context_management=given))
    found = Edits.of(whole)
    assert (found.reported, found.cleared, found.input_tokens) == (True, 70, 40)
    assert found.applied == ("clear_tool_uses_20250919", "7", "compact_20260112")
    plain = json.loads(message("42", context_management={"applied_edits": None}))
    assert Edits.of(plain).applied == ()
    assert not Edits.of(json.loads(message("42"))).reported


def without(name: str) -> bytes:
    return json.dumps({key: value for key, value in json.loads(message("42")).items() if key != name}).encode()


MALFORMED = [
    b"",
    b"<html>busy</html>",
    b"[]",
    b"null",
    b"3",
    b'{"error": "busy"}',
    b"\xff\xfe",
    without("usage"),
    without("content"),
    without("model"),
    message("42", content=None),
    message("42", content="42"),
    message("42", content={}),
    message("42", content=[{"text": "42"}]),
    message("42", content=[{"type": "text"}]),
    message("42", content=[{"type": "text", "text": None}]),
    message("42", content=["42"]),
    message("42", usage=None),
    message("42", usage={}),
    message("42", usage={"input_tokens": None, "output_tokens": 1}),
    message("42", usage={"input_tokens": "many", "output_tokens": 1}),
    message("42", usage={"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": "many"}),
    message("42", usage={"input_tokens": -1, "output_tokens": 1}),
    message("42", usage={"input_tokens": 10**400, "output_tokens": 1}),
    *(
        message("42", usage={"input_tokens": 1, "output_tokens": 1, name: value})
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        for value in (True, False, 1.7, "1")
    ),
    message("42", model=None),
    message("42", stop_reason=["end_turn"]),
    message("42").decode().encode("utf-16"),
]
DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize("body", MALFORMED)
def test_an_invalid_message_is_refused(body: bytes) -> None:
    """docs/security.md, server-usage."""
    assert not is_answer(PATH, body)
    with pytest.raises(MalformedAnswer, match=r"not a Messages API message .*; it begins with"):
        reply(body)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (DEEP, "its JSON is nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "its JSON is nested too deeply"),
        (message("42").replace(b'"end_turn"', DEEP), "its JSON is nested too deeply"),
        (
            message("42", usage={"input_tokens": 7, "output_tokens": 1}).replace(b"7", b"7" * 5000),
            "its JSON contains a nu",
        ),
        (message("42", usage={"input_tokens": 7, "output_tokens": 1}).replace(b"7", b"1e999"), "its usage counts inf"),
        (message("42", usage={"input_tokens": -7, "output_tokens": 1}), "its usage counts -7 tokens"),
        (message("42", usage={"input_tokens": "many", "output_tokens": 1}), "its usage counts 'many' tokens"),
        (b"<html>", "it is not JSON"),
        (b"", "it is empty"),
        (b"[]", "it is not a JSON object"),
        (without("usage"), "it has no 'usage'"),
    ],
    ids=range(11),
)
def test_the_reason_is_a_clear_sentence(body: bytes, reason: str) -> None:
    with pytest.raises(MalformedAnswer) as caught:
        reply(body)
    assert f"is not a Messages API message ({reason}" in str(caught.value)
    assert "Error" not in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "usage"]), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["content", "usage", "model", "stop_reason"]), json_values))
def test_whatever_is_recorded_can_be_replayed(changed: dict[str, Any]) -> None:
    body = message("42", **changed)
    if is_answer(PATH, body):
        reply(body)


@pytest.mark.parametrize(
    ("told", "tokens"),
    [({"ephemeral_1h_input_tokens": 3}, 3), ({"ephemeral_1h_input_tokens": 99}, 5), ({}, 0), ("odd", 0), (None, 0)],
)
def test_what_is_written_for_an_hour_is_part_of_what_is_written(told: object, tokens: int) -> None:
    usage = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 5, "cache_creation": told}
    read = reply(message("", usage=usage))
    assert (read.cache_write_tokens, read.hour_write_tokens) == (5, tokens)


def test_a_server_may_write_its_counts_as_floats() -> None:
    assert reply(message("42", usage={"input_tokens": 7.0, "output_tokens": 1})).input_tokens == 7


def test_thinking_tokens_are_those_that_the_server_counts_apart() -> None:
    counted = {"input_tokens": 7, "output_tokens": 20, "output_tokens_details": {"thinking_tokens": 15}}
    assert reply(message("42", usage=counted)).thinking_tokens == 15
    for odd in (None, {}, [], {"thinking_tokens": -1}, {"thinking_tokens": "many"}, {"thinking_tokens": 10**20}):
        assert reply(message("42", usage=counted | {"output_tokens_details": odd})).thinking_tokens is None


@pytest.mark.parametrize(
    ("details", "category"),
    [
        ({"type": "refusal", "category": "cyber", "explanation": "No."}, "cyber"),
        ({"type": "refusal", "category": None}, ""),
        ({"type": "refusal", "category": 7}, ""),
        ({"type": "refusal", "category": "x" * 1000}, "x" * 40),
        (None, ""),
        ("cyber", ""),
    ],
)
def test_a_refusal_may_have_a_category(details: object, category: str) -> None:
    refused = reply(message("", stop_reason="refusal", stop_details=details))
    assert refused.refusal == category
    assert unanswered(refused).why == (f"the model refused ({category})" if category else "the model refused")


@pytest.mark.parametrize(
    ("iterations", "fallback"),
    [
        ([{"type": "message", "model": "toy"}, {"type": "fallback_message", "model": "other"}], True),
        ([{"type": "message", "model": "toy"}], False),
        ([], False),
        (None, False),
        ("fallback_message", False),
        (["fallback_message"], False),
    ],
)
def test_an_answer_of_a_fallback_model_is_marked(iterations: object, fallback: bool) -> None:
    usage = {"input_tokens": 7, "output_tokens": 2, "iterations": iterations}
    assert reply(message("42", usage=usage)).fallback == fallback


def test_citations_are_read_from_all_text_blocks() -> None:
    first = {"type": "char_location", "cited_text": "One fee.", "document_index": 1, "start_char_index": 0}
    second = {"cited_text": "Fees.", "document_index": None}
    content = [
        {"type": "text", "text": "It is ", "citations": [first]},
        {"type": "text", "text": "one", "citations": [second]},
        {"type": "text", "text": ".", "citations": None},
        {"type": "thinking", "thinking": "?", "citations": [first]},
    ]
    assert reply(message("", content=content)).citations == [first, second]


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | json_objects)
)
def test_whatever_a_server_gives_as_citations_is_no_error(citations: Any) -> None:
    read = reply(message("", content=[{"type": "text", "text": "42", "citations": citations}]))
    context = Context([Piece("42")], "?", evidence="4")
    assert judged_citations(context, read.citations).keys() == {"cites", "cites_needle"}
