"""The digest of a request depends on the question and not on its transport."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any

import httpx2
import pytest
from anthropic.types.beta.message_count_tokens_params import MessageCountTokensParams
from hypothesis import example, given
from hypothesis import strategies as st

from longctx.cells.cell import Trial
from longctx.config.models import ModelProfile
from longctx.recording.apis.messages import COUNTED
from longctx.recording.request import canonical, digest, digest_of, request_body
from longctx.vocabulary.shapes import SHAPES, Shape
from tests.recording.examples import client_of, collage_cell, line_cell, network, passkey_cell, send
from tests.servers import message

BODY: dict[str, Any] = {
    "model": "toy",
    "max_tokens": 10,
    "messages": [{"role": "user", "content": "Where? \u2028 \U0001f642"}],
    "system": "Be brief.",
    "temperature": 0,
}
values = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)


@given(st.dictionaries(st.sampled_from(["cache_control", "stream", "metadata"]), values))
def test_what_changes_only_price_and_transport_is_left_out(added: dict[str, Any]) -> None:
    assert digest(BODY | added) == digest(BODY)


@given(st.permutations(list(BODY)))
def test_the_order_of_keys_does_not_matter(names: list[str]) -> None:
    assert digest({name: BODY[name] for name in names}) == digest(BODY)


@given(st.sampled_from([*BODY, "top_p"]), values)
def test_any_other_value_changes_it(name: str, value: Any) -> None:
    changed = BODY | {name: value}
    same = json.dumps(changed, sort_keys=True) == json.dumps(BODY, sort_keys=True)
    assert (digest(changed) == digest(BODY)) == same


@pytest.mark.parametrize("name", list(BODY))
def test_leaving_any_part_out_changes_it(name: str) -> None:
    assert digest({key: value for key, value in BODY.items() if key != name}) != digest(BODY)


CITED = {"type": "char_location", "cited_text": "Where?", "document_index": 0}


@pytest.mark.parametrize("added", [{"citations": [CITED]}, {"citations": None}, {"type": "document"}, {"id": "x"}])
def test_a_block_with_other_keys_is_not_the_same_as_its_text(added: dict[str, Any]) -> None:
    """Neither alone, nor beside blocks that could be joined, nor with other values of its keys."""
    block = {"type": "text", "text": "Where?"}
    contents = ["Where?", "Where?Where?", [block | added], [block, block | added], [block | added, block]]
    contents += [[block | {"citations": [CITED | {"document_index": 1}]}], [block | {"text": "?"} | added]]
    digests = {digest(BODY | {"messages": [{"role": "user", "content": content}]}) for content in contents}
    assert len(digests) == len(contents)


def test_it_is_pinned() -> None:
    """Every recording is found by this digest."""
    assert digest(BODY) == "397518a3f477e39d76a166cb898b075f3ff438fc343c6b9d91a1a391cee50702"


def test_headers_are_part_of_it_and_none_is_as_before() -> None:
    assert digest(BODY, {}) == digest(BODY)
    beta = digest(BODY, {"anthropic-beta": "a"})
    assert len({digest(BODY), beta, digest(BODY, {"anthropic-beta": "b"}), digest(BODY, {"x-beta": "a"})}) == 4
    assert digest(BODY | {"headers": {"anthropic-beta": "a"}}) != beta


def test_a_lone_surrogate_has_a_digest() -> None:
    assert len(digest({"content": "\ud800"})) == 64


def test_the_model_profile_has_the_last_word() -> None:
    [trial, _] = line_cell(extra_body={"temperature": 0, "max_tokens": 99}).each_trial()
    body = request_body(trial.build(), trial.cell.model)
    assert (body["temperature"], body["max_tokens"]) == (0, 99)
    assert "system" not in body


SETTINGS: list[dict[str, Any]] = [
    {},
    {"extra_body": {"temperature": 0}},
    {"extra_body": {"max_tokens": 99, "thinking": {"type": "disabled"}}},
    {"system": "Be terse.", "effort": "low", "thinking": {"type": "enabled", "budget_tokens": 2048}},
    {"thinking": {"type": "between_tools"}},
    {"effort": "high", "extra_body": {"output_config": {"effort": "max"}}},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_body_that_the_sdk_sends_has_the_same_digest(settings: dict[str, Any]) -> None:
    sent: list[httpx2.Request] = []

    def server(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, content=message("42"))

    trial = Trial(line_cell(**settings), 0)
    asyncio.run(send(client_of(network(server)), trial))
    assert digest(json.loads(sent[0].content)) == digest(request_body(trial.build(), trial.cell.model))


PREFILLED = dataclasses.replace(
    Trial(line_cell(), 0).build(),
    user="Which?",
    prefill="The answer is:",
    without_prefill='Begin with "The answer is:"',
)


def test_the_beginning_of_an_answer_is_sent_to_a_model_that_takes_one() -> None:
    sent = request_body(PREFILLED, ModelProfile(model="toy", prefill=True))["messages"]
    assert sent == [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": "The answer is:"}]


def test_other_models_are_told_how_to_begin() -> None:
    sent = request_body(PREFILLED, ModelProfile(model="toy"))["messages"]
    assert sent == [{"role": "user", "content": 'Which?\nBegin with "The answer is:"'}]


def test_a_thinking_model_gets_room_to_think() -> None:
    built = Trial(line_cell(), 0).build()
    assert request_body(built, ModelProfile(model="toy", thinking_tokens=1000))["max_tokens"] == built.max_tokens + 1000


def test_what_a_profile_leaves_unset_is_not_sent() -> None:
    [trial, _] = line_cell().each_trial()
    body = request_body(trial.build(), trial.cell.model)
    assert sorted(body) == ["max_tokens", "messages", "model"]


@pytest.mark.parametrize(
    ("setting", "sent"),
    [
        ({"effort": "low"}, {"output_config": {"effort": "low"}}),
        ({"thinking": {"type": "adaptive"}}, {"thinking": {"type": "adaptive"}}),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 2048, "display": "omitted"}},
            {"thinking": {"type": "enabled", "budget_tokens": 2048, "display": "omitted"}, "max_tokens": 2058},
        ),
        ({"system": "Be terse."}, {"system": "Be terse."}),
    ],
)
def test_a_setting_of_the_profile_is_part_of_the_question(setting: dict[str, Any], sent: dict[str, Any]) -> None:
    trial, plain = Trial(line_cell(**setting), 0), Trial(line_cell(), 0)
    body = request_body(trial.build(), trial.cell.model)
    assert {name: body[name] for name in sent} == sent
    assert digest(body) != digest(request_body(plain.build(), plain.cell.model))


def test_the_profiles_system_prompt_is_before_the_prompt_sets() -> None:
    built = dataclasses.replace(Trial(line_cell(), 0).build(), system="Answer with a number.")
    assert request_body(built, ModelProfile(model="toy", system="Be terse."))["system"] == (
        "Be terse.\n\nAnswer with a number."
    )


def test_the_id_of_a_provider_does_not_change_the_question() -> None:
    """A recording answers the same question wherever it was asked."""
    built = Trial(line_cell(), 0).build()
    there = ModelProfile(model="toy", provider="bedrock", provider_model="us.toy-v1:0")
    assert request_body(built, there) == request_body(built, ModelProfile(model="toy"))


surrogates = st.text(st.characters(exclude_categories=()))
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | surrogates
bodies = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text() | surrogates, inner), max_leaves=20
)


@given(bodies)
@example(['\x7f\x00\x1f\\"/\u2028\U0001f642', {1: 1e16}, {None: "a"}, {1: "a", "b": 2}])
@example({"a\ud800": [1e-7, -0.0, float("nan"), float("inf"), 2**70], "": {}, "b": [[]]})
def test_the_canonical_body_is_what_the_standard_library_writes(body: Any) -> None:
    def written() -> bytes:
        text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")

    try:
        standard = written()
    except TypeError:  # keys of several types are not sorted
        with pytest.raises(TypeError):
            canonical(body)
    else:
        assert canonical(body) == standard


def test_what_is_counted_is_what_count_tokens_takes() -> None:
    taken = MessageCountTokensParams.__annotations__.keys()
    assert taken >= COUNTED
    assert {"messages", "system", "tools", "context_management", "thinking"} <= COUNTED


# A changed digest makes all recordings of the shape stale.
@pytest.mark.parametrize(
    ("shape", "passkey", "collage"),
    [
        (
            "text",
            "48f2dbfd0fea9ccfed2d42c0b82f2f3b510673d2ae50d39080ab922fd4bfde18",
            "f161addab1505d3827cd1c81caaceffcb9c8c3f658e6dd2a8d98a745669bfcd0",
        ),
        (
            "documents",
            "7fd3cb83775aed90a34394bc80028be4220440508748c1bdb55c96101947d8ee",
            "6d692a2f42bad278230d85daf00881271f79a23c3d1819679afd5d7c2b7a2953",
        ),
        (
            "documents+citations",
            "a7667adb7f7e4faa3ed8188aaf599415175daadc81255ea6230ffcbed3300098",
            "fc92dfdc1263506c553309be7f7767b8830342086351b9dfa3a92511b36a94e2",
        ),
        (
            "chat",
            "955063a0ea40586d39783c6516cd5999e90351c67eb50696262254985166622c",
            "4ea46f4600e4456b557e3022b743d73cc44e12d68dbcae3f8dd94dafc07e6d0f",
        ),
        (
            "tool_results",
            "c4ddba0deb817a08fcda00e02161d4dae8cc4e2e916f35a13c630269744db34c",
            "9b178d0821521d06738ec3f99c4953b948933a9ef702d0532745959b1d87f815",
        ),
    ],
)
def test_the_request_of_a_shape_is_the_same_for_ever(shape: Shape, passkey: str, collage: str) -> None:
    for cell, sha256 in ((passkey_cell(), passkey), (collage_cell(), collage)):
        trial = Trial(dataclasses.replace(cell, shape=shape).fitted(), 1)
        assert digest_of(trial.build(), cell.model) == sha256


def test_a_model_that_takes_no_prefill_is_asked_for_it_after_the_question_in_every_shape() -> None:
    for shape in SHAPES:
        for prefill in (False, True):
            cell = dataclasses.replace(collage_cell(prefill=prefill), shape=shape)
            built = Trial(cell.fitted(), 0).build()
            *turns, last = request_body(built, cell.model)["messages"]
            if prefill:
                assert last == {"role": "assistant", "content": built.prefill}
                assert turns[-1]["role"] == "user"
            else:
                content = last["content"] if isinstance(last["content"], str) else last["content"][-1]["text"]
                assert last["role"] == "user"
                assert content.endswith(built.without_prefill)
