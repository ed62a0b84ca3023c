"""Shapes: the requests that they make of a context, and what citations are judged by."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from anthropic.types import (
    DocumentBlockParam,
    TextBlockParam,
    ToolChoiceParam,
    ToolParam,
    ToolResultBlockParam,
    ToolUseBlockParam,
)
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from longctx.vocabulary.shapes import (
    HAVE_READ,
    SHAPES,
    TO_READ,
    Context,
    Piece,
    Shape,
    added_tokens,
    judged_citations,
    rendered,
    unwrapped,
)

CONTEXT = Context([Piece("One fee."), Piece("Two fees.", title="Fees")], "Which?", opening="Read this.")
EXCHANGES = Context([Piece("User: A?\n\nAssistant: B.", turns=("A?", "B."))], "Again?", opening="Examples.")


BLOCKS: dict[str, Any] = {
    "text": TextBlockParam,
    "document": DocumentBlockParam,
    "tool_use": ToolUseBlockParam,
    "tool_result": ToolResultBlockParam,
}


def texts(value: Any) -> Iterator[str]:
    """Yield the texts of messages in their order."""
    if isinstance(value, str):
        yield value
    for item in value if isinstance(value, list) else []:
        yield from texts(item.get("content", item.get("text", item.get("source", {}).get("data", ""))))


words = st.text("abc\n é", min_size=1).filter(str.strip)
contexts = st.builds(
    Context,
    st.lists(st.builds(Piece, words, st.just("") | words), min_size=1),
    words,
    st.just("") | words,
)


@given(contexts, st.sampled_from(SHAPES))
def test_every_shape_holds_opening_pieces_and_question_in_order(context: Context, shape: Shape) -> None:
    said = "\0".join(texts(rendered(context, shape)["messages"]))
    place = 0
    for part in (context.opening, *(piece.text for piece in context.pieces), context.question):
        place = said.index(part, place) + len(part)
    assert said.endswith(context.question)


@given(contexts, st.sampled_from(SHAPES))
def test_turns_alternate_and_none_is_blank(context: Context, shape: Shape) -> None:
    messages = rendered(context, shape)["messages"]
    roles = [message["role"] for message in messages]
    assert roles == [role for role, _ in zip(itertools.cycle(["user", "assistant"]), roles, strict=False)]
    assert roles[-1] == "user"
    assert all(any(text.strip() for text in texts(message["content"])) for message in messages[::2])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("context", [CONTEXT, EXCHANGES])
def test_every_request_has_the_types_of_the_sdk(context: Context, shape: Shape) -> None:
    body = rendered(context, shape)
    for message in body["messages"]:
        assert message.keys() == {"role", "content"}
        for block in message["content"] if isinstance(message["content"], list) else []:
            assert TypeAdapter(BLOCKS[block["type"]]).validate_python(block) == block
    for tool in body.get("tools", []):
        assert TypeAdapter(ToolParam).validate_python(tool) == tool
    if "tool_choice" in body:
        assert TypeAdapter(ToolChoiceParam).validate_python(body["tool_choice"]) == {"type": "none"}


def test_documents_have_titles_and_citations_if_they_are_wanted() -> None:
    [message] = rendered(CONTEXT, "documents")["messages"]
    opening, first, second, question = message["content"]
    assert (opening["text"], question["text"]) == ("Read this.", "Which?")
    source = {"type": "text", "media_type": "text/plain"}
    assert first == {"type": "document", "source": source | {"data": "One fee."}}
    assert second == {"type": "document", "source": source | {"data": "Two fees."}, "title": "Fees"}
    [message] = rendered(CONTEXT, "documents+citations")["messages"]
    assert message["content"][1] == first | {"citations": {"enabled": True}}


def test_a_chat_has_a_fixed_turn_after_each_piece() -> None:
    assert [(message["role"], message["content"]) for message in rendered(CONTEXT, "chat")["messages"]] == [
        ("user", "Read this.\n\nOne fee."),
        ("assistant", HAVE_READ),
        ("user", "Two fees."),
        ("assistant", HAVE_READ),
        ("user", "Which?"),
    ]


def test_exchanges_are_turns_of_a_chat_as_they_are() -> None:
    assert [message["content"] for message in rendered(EXCHANGES, "chat")["messages"]] == [
        *("Examples.", HAVE_READ),
        *("A?", "B."),
        "Again?",
    ]


def test_tool_results_are_of_a_tool_that_may_not_be_called_again() -> None:
    body = rendered(CONTEXT, "tool_results")
    first, calls, results = body["messages"]
    assert first["content"] == "Read this."
    assert [(call["name"], call["input"]["document"]) for call in calls["content"]] == [("read", "1"), ("read", "Fees")]
    *blocks, question = results["content"]
    assert [block["tool_use_id"] for block in blocks] == [call["id"] for call in calls["content"]]
    assert [block["content"] for block in blocks] == ["One fee.", "Two fees."]
    assert question == {"type": "text", "text": "Which?"}
    assert [tool["name"] for tool in body["tools"]] == ["read"]
    assert rendered(Context([Piece("One.")], "Which?"), "tool_results")["messages"][0]["content"] == TO_READ


@given(contexts)
def test_a_shape_is_priced_for_what_it_adds(context: Context) -> None:
    def size(shape: Shape) -> int:
        return len(json.dumps(rendered(context, shape)))

    assert added_tokens("text", len(context.pieces)) == 0
    for shape in ("chat", "documents", "tool_results"):
        assert added_tokens(shape, len(context.pieces)) > 0
        assert size(shape) > size("text")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Read.\n<A Record>\n", "\n</A Record>\nWhich?", ("Read.", "Which?")),
        ("<Record>", "</Record>", ("", "")),
        ("Read <b>", "</i> Which?", ("Read <b>", "</i> Which?")),
        ("Read.", "Which?", ("Read.", "Which?")),
    ],
)
def test_the_tags_around_a_record_are_left_out(before: str, after: str, expected: tuple[str, str]) -> None:
    assert unwrapped(before, after) == expected


ASKED = Context([Piece("x"), Piece("The fee  is\n5 crowns. It is due.")], "?", needle=1, evidence="the FEE is 5 crowns")


def cited(text: str, document: int | None) -> dict[str, object]:
    return {"type": "char_location", "cited_text": text, "document_index": document}


@pytest.mark.parametrize(
    ("citations", "cites", "cites_needle"),
    [
        ([], False, False),
        ([cited("It is due.", 1)], False, False),
        ([cited("The fee  is\n5 crowns.", 0)], True, False),
        ([cited("The fee is 5 crowns.", None)], True, False),
        ([cited("It is due.", 0), cited("Then: the fee is 5 crowns.", 1)], True, True),
        ([{"document_index": 1}, {"cited_text": 5}, "The fee is 5 crowns.", None], False, False),
    ],
)
def test_a_citation_holds_the_answer_and_is_of_the_needles_document(
    citations: list[object], cites: bool, cites_needle: bool
) -> None:
    assert judged_citations(ASKED, citations) == {"cites": cites, "cites_needle": cites_needle}


def test_citations_are_not_judged_where_no_passage_can_hold_the_answer() -> None:
    assert judged_citations(CONTEXT, [cited("One fee.", 0)]) == {}
