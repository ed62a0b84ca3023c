"""--ctx-shape: the same items as one text, documents, a chat or tool results."""

from __future__ import annotations

import json
from typing import Any

from longctx.vocabulary.shapes import SHAPES
from tests.integration.conftest import LINES, PASSKEY, Checkout, profiled
from tests.servers import Answer, SimulatedServer, find_answer, message, prompt_of

ALL = [f"--ctx-shape={shape}" for shape in SHAPES]


passkeys = profiled(PASSKEY)


def citing(body: dict[str, Any]) -> Answer:
    """Answer right, and cite the sentence that holds the answer where documents ask for citations."""
    answer = find_answer(prompt_of(body))
    content = body["messages"][0]["content"]
    block: dict[str, Any] = {"type": "text", "text": answer}
    if isinstance(content, list) and any("citations" in part for part in content):
        cited = {"type": "char_location", "cited_text": f"The pass key is {answer}.", "document_index": 0}
        block["citations"] = [cited]
    return 200, {}, message(answer, body, content=[block])


def test_the_same_items_are_asked_in_every_shape(passkeys: Checkout, server: SimulatedServer) -> None:
    server.script = citing
    assert passkeys.record(server, *ALL).code == 0
    rows = [row for row in passkeys.rows() if row["test"] == "passkey"]
    assert {row["shape"] for row in rows} == set(SHAPES)
    asked = {
        shape: sorted((row["cell"], row["trial"], row["expected"]) for row in rows if row["shape"] == shape)
        for shape in SHAPES
    }
    assert all(items == asked["text"] for items in asked.values())
    assert len(asked["text"]) == 4
    assert [body["tool_choice"] for body in server.asked if "tools" in body] == [{"type": "none"}] * 4
    number = len(server.asked)
    assert passkeys.pytest(*ALL, "-n1").code == 0
    assert len(server.asked) == number


def test_citations_have_rates_of_their_own(passkeys: Checkout, server: SimulatedServer) -> None:
    server.script = citing
    assert passkeys.record(server, "--ctx-shape=documents+citations", page=True).code == 0
    page = passkeys.file("reports/latest/index.html").read_text()
    assert "passkey.cites_needle" in page
    assert "shape=documents+citations" in page
    outcomes: dict[str, list[str]] = {}
    for row in passkeys.rows():
        outcomes.setdefault(row["test"], []).append(row["outcome"])
    assert outcomes == {name: ["correct"] * 4 for name in ("passkey", "passkey.cites", "passkey.cites_needle")}
    costs = {row["input_tokens"] for row in passkeys.rows() if row["test"] != "passkey"}
    assert costs == {None}
    server.script = lambda body: (200, {}, message(find_answer(prompt_of(body)), body))
    assert passkeys.record(server, "--ctx-shape=documents+citations", mode="all").code == 0
    assert {row["outcome"] for row in passkeys.rows() if row["test"] == "passkey.cites"} == {"wrong"}


def test_an_unrecorded_shape_is_missing_and_leaves_the_text_as_it_is(
    passkeys: Checkout, server: SimulatedServer
) -> None:
    assert passkeys.record(server).code == 0
    before = passkeys.cassettes()
    result = passkeys.pytest("--ctx-shape=text", "--ctx-shape=chat")
    assert result.code == 1
    assert result.says("2 of 2 trials have no recording in cassettes/toy/passkey/window-256-k-128.chat.jsonl.")
    rows = passkeys.rows()
    assert {(row["shape"], row["error"]) for row in rows} == {("text", None), ("chat", "missing")}
    assert passkeys.record(server, "--ctx-shape=chat").code == 0
    assert {name: content for name, content in passkeys.cassettes().items() if name in before} == before


def test_test_ids_name_every_shape_but_the_text(passkeys: Checkout) -> None:
    collected = passkeys.pytest("--collect-only", "-q", "--ctx-shape=text", "--ctx-shape=chat")
    assert "[toy-protocol-window-256-k-128]" in collected.out
    assert "[toy-protocol-window-256-k-128-chat]" in collected.out


def test_shapes_of_a_table_are_compared_by_item(passkeys: Checkout, server: SimulatedServer) -> None:
    passkeys.profile(PASSKEY.replace("trials = 2", 'trials = 2\nshapes = ["text", "chat"]'))

    def worse_in_a_chat(body: dict[str, Any]) -> Answer:
        right = find_answer(prompt_of(body))
        return 200, {}, message("11111" if len(body["messages"]) > 1 else right, body)

    server.script = worse_in_a_chat
    assert passkeys.record(server).code == 0
    result = passkeys.longctx("compare", "reports/latest", "--between", "shape", "-v")
    assert result.code == 0
    assert result.says("chat against text", "by shape", "-1.00 [-1.00, +0.32] n=2"), result.out


def test_a_gate_pairs_the_same_shape(passkeys: Checkout, server: SimulatedServer) -> None:
    passkeys.profile(PASSKEY.replace("trials = 2", 'trials = 2\nshapes = ["text", "chat"]'))
    assert passkeys.record(server).code == 0
    assert passkeys.longctx("baseline", "save", "shapes").code == 0
    baseline = passkeys.file("fixtures/baselines/shapes.jsonl").read_text().splitlines()[1:]
    assert {json.loads(line).get("shape", "text") for line in baseline} == {"text", "chat"}
    passkeys.pytest("--ctx-baseline=shapes")
    gate = passkeys.gate()
    assert [(test["before"], test["after"]) for test in gate["tests"]] == [
        ({"model": "toy", "prompt_set": "protocol", "labels": {}},) * 2,
        ({"model": "toy", "prompt_set": "protocol", "labels": {}, "shape": "chat"},) * 2,
    ]


def test_a_test_of_one_text_says_so(checkout: Checkout) -> None:
    checkout.profile(LINES)
    result = checkout.pytest("--ctx-shape=chat")
    assert result.code == 1
    assert result.says("line_retrieval builds one text without separable pieces", "accepts the shape 'text'")


def test_the_estimate_counts_what_a_shape_adds(passkeys: Checkout, server: SimulatedServer) -> None:
    assert passkeys.record(server).code == 0
    tokens = {}
    for shape in SHAPES:
        out = passkeys.pytest("--ctx-estimate", "--ctx-record=all", f"--ctx-shape={shape}").out
        tokens[shape] = int(out.split("trials need a request, about ")[1].split()[0].replace(",", ""))
    assert tokens["text"] < tokens["chat"] < tokens["documents"] < tokens["documents+citations"]
    assert tokens["documents"] < tokens["tool_results"]


def test_an_unknown_shape_is_named(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-shape=essay")
    assert result.code == 4
    assert "essay" in result.err
    checkout.profile(LINES.replace("trials", 'shapes = ["essay"]\ntrials'))
    assert checkout.pytest().says("shapes", "documents+citations")


FUNCTION = """
import pytest

@pytest.mark.longctx(trials=2, shapes=["text", "documents", "chat"])
def test_code(ask, draw):
    code = draw.integer(10_000, 99_999)
    filler = draw.filler(50)
    assert ask([str(filler), f"The pass key is {code}."], "What is the pass key?").integer() == code

@pytest.mark.longctx(trials=1, shapes=["tool_results"])
def test_tools(ask):
    tools = [{"name": "find", "description": "Finds.", "input_schema": {"type": "object"}}]
    ask("The pass key is 12345.", "What is the pass key?", tools=tools)
"""


def test_context_and_question_of_a_function_follow_the_shape(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("tests_longctx/test_shapes.py").write_text(FUNCTION)
    asked = ("tests_longctx/test_shapes.py", "--ctx-model=toy", "-k", "test_code")
    result = checkout.record(server, *asked, profile=None)
    assert result.code == 0, result.out
    rows = checkout.rows()
    assert sorted({(row["shape"], row["outcome"]) for row in rows}) == [
        ("chat", "correct"),
        ("documents", "correct"),
        ("text", "correct"),
    ]
    texts = {prompt_of(body).replace("I have read it.", "").replace("\n", "") for body in server.asked}
    assert len(texts) == 2  # the items are the same in every shape
    assert set(checkout.cassettes()) == {
        "toy/test_code/all.jsonl",
        "toy/test_code/all.documents.jsonl",
        "toy/test_code/all.chat.jsonl",
    }
    assert checkout.pytest(*asked, profile=None).code == 0


def test_a_function_with_tools_of_its_own_is_not_asked_as_tool_results(
    checkout: Checkout, server: SimulatedServer
) -> None:
    checkout.file("tests_longctx/test_shapes.py").write_text(FUNCTION)
    asked = ("tests_longctx/test_shapes.py", "--ctx-model=toy", "-k", "test_tools", "--ctx-record=once")
    result = checkout.pytest(*asked, f"--ctx-base-url={server.url}", profile=None)
    assert result.code == 1
    assert result.says("ask was called with tools, but the shape 'tool_results' defines its own")


def test_show_prints_a_trial_in_its_shape(passkeys: Checkout, server: SimulatedServer) -> None:
    assert passkeys.record(server, "--ctx-shape=tool_results").code == 0
    shown = passkeys.longctx("show", "passkey/window-256-k-128", "--run", "reports/latest", "--model", "toy")
    assert shown.code == 0
    assert shown.says("# assistant [calls read(", "[result of toolu_0001]", "What is the pass key?")
    assert "not exactly as sent" not in shown.out
    text = passkeys.longctx("show", "passkey/window-256-k-128", "--model", "toy")
    assert "[result" not in text.out


def test_refusals_and_fallbacks_are_in_the_rows(passkeys: Checkout, server: SimulatedServer) -> None:
    def declining(body: dict[str, Any]) -> Answer:
        if len(server.asked) % 2:
            details = {"type": "refusal", "category": "cyber"}
            return 200, {}, message("", body, stop_reason="refusal", stop_details=details)
        usage = {"input_tokens": 9, "output_tokens": 1, "iterations": [{"type": "fallback_message", "model": "other"}]}
        return 200, {}, message(find_answer(prompt_of(body)), body, usage=usage, model="other")

    server.script = declining
    passkeys.record(server, "--ctx-concurrency=1")
    facts = {(row["outcome"], row["refusal"], row["fallback"], row["model_returned"]) for row in passkeys.rows()}
    assert facts == {("refusal", "cyber", False, "toy"), ("correct", None, True, "other")}


def test_a_server_that_leaves_blocks_out_is_not_measured(passkeys: Checkout, server: SimulatedServer) -> None:
    def without_documents(body: dict[str, Any]) -> Answer:
        return 200, {}, message("12345", body, usage={"input_tokens": 12, "output_tokens": 1})

    server.script = without_documents
    result = passkeys.record(server, "--ctx-shape=documents")
    assert result.code == 1
    assert result.says("toy was sent 2 trials in the shape 'documents'", "the server drops blocks of this kind")
    assert {(row["outcome"], row["error"]) for row in passkeys.rows()} == {("infra_error", "context_not_read")}
