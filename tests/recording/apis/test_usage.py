"""Usage as vendors and gateways name it: the table's fields, their price, and names that it does not have."""

from __future__ import annotations

from typing import Any

import pytest

from longctx.live.cost.money import paid
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis import APIS, chat, gemini, messages, responses, to_answer
from longctx.recording.apis.messages import Receipt
from longctx.recording.apis.usage import FIELDS, HOUR, KNOWN, READ, THOUGHT, WRITTEN, Field, unread
from longctx.vocabulary.answer import Answer
from tests.given import dollars
from tests.recording.apis.examples import body, completion, generated, response
from tests.servers import message

LIVE = Receipt(live=True)
BARE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def nested(path: str, value: Any) -> dict[str, Any]:
    name, _, rest = path.partition(".")
    return {name: nested(rest, value) if rest else value}


def completed(usage: dict[str, Any]) -> Answer:
    return to_answer(chat.PATH, body(completion() | {"usage": BARE | usage}), LIVE)


@pytest.mark.parametrize("field", [field for field in FIELDS if field.meaning], ids=lambda field: field.path)
def test_each_field_of_the_table_is_read(field: Field) -> None:
    reply = completed(nested(WRITTEN, 9) | nested(field.path, 7))
    read = {READ: reply.cached_tokens, HOUR: reply.hour_write_tokens, THOUGHT: reply.thinking_tokens}
    assert read.get(field.meaning, 7) == 7
    assert reply.cache_write_tokens == (7 if field.path == WRITTEN else 9)
    assert (reply.input_tokens, reply.output_tokens, reply.unread_usage) == (100, 20, ())


def test_a_name_has_one_meaning() -> None:
    assert len({field.path for field in FIELDS}) == len(FIELDS)
    assert {field.meaning for field in FIELDS} == {READ, WRITTEN, HOUR, THOUGHT, KNOWN}


def test_what_deepseek_read_from_its_cache_costs_what_that_costs() -> None:
    counts = {"prompt_tokens": 71_040, "completion_tokens": 100, "total_tokens": 71_140}
    reply = completed({**counts, "prompt_cache_hit_tokens": 71_000, "prompt_cache_miss_tokens": 40})
    assert paid(dollars(0.14, 0.28, cache_read=0.0028), reply) == pytest.approx(0.0002324)


def test_of_several_names_the_largest_counts_once() -> None:
    reply = completed({"prompt_tokens_details": {"cached_tokens": 0}, "cached_tokens": 40, READ: 40})
    assert (reply.input_tokens, reply.cached_tokens) == (100, 40)


def test_reasoning_that_a_vendor_counts_besides_the_reply_is_output() -> None:
    thought = {"completion_tokens_details": {"reasoning_tokens": 300}}
    assert completed({**thought, "total_tokens": 420}).output_tokens == 320
    assert completed({**thought, "completion_tokens": 320, "total_tokens": 420}).output_tokens == 320


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(MalformedAnswer, match="is not a count"):
        completed({"prompt_cache_hit_tokens": "many"})


@pytest.mark.parametrize(
    ("usage", "names"),
    [
        ({"cache_hits": 3, "details": {"warmCache": {"tokens": 2}}}, ["cache_hits", "details.warmCache.tokens"]),
        ({"cache_hits": 0, "cache_type": "x", "cache_price": 0.25, "cache_on": True, "cache_of": None}, []),
        ({"prompt_cache_miss_tokens": 9, "cache_creation": {"ephemeral_5m_input_tokens": 9}}, []),
        ({"x_details": [{"cache_tokens": 2}], "cost_details": {"cache_read": 2}}, []),
        (None, []),
        ([1], []),
    ],
)
def test_a_field_about_a_cache_that_is_in_no_table_is_named(usage: object, names: list[str]) -> None:
    assert unread(usage) == names


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (messages.PATH, message("yes", usage={"input_tokens": 1, "output_tokens": 1, "cache_hits": 2})),
        (chat.PATH, body(completion() | {"usage": BARE | {"cache_hits": 2}})),
        (responses.PATH, body(response() | {"usage": response()["usage"] | {"cache_hits": 2}})),
        (gemini.PATH, body(generated({"text": "a"}, usageMetadata={"promptTokenCount": 1, "cache_hits": 2}))),
    ],
)
def test_by_every_api_in_live_answers_alone_and_streams_keep_it(path: str, answer: bytes) -> None:
    assert to_answer(path, answer, LIVE).unread_usage == ("cache_hits",)
    assert to_answer(path, answer, Receipt()).unread_usage == ()
    api = next(api for api in APIS.values() if path == api.PATH)
    assert '"cache_hits": 2' in "".join(api.streamed(api.read(answer), {"include_usage": True}))
