"""--ctx-shape: the same items as one text, documents, a chat or tool results."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longctx.vocabulary.shapes import SHAPES
from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import Answer, SimulatedServer, find_answer, message, prompt_of

ALL = [f"--ctx-shape={shape}" for shape in SHAPES]


@pytest.fixture
def passkeys(checkout: Checkout) -> Checkout:
    checkout.profile(PASSKEY)
    return checkout


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
    rows = [row for row in passkeys.rows() if row["family"] == "passkey"]
    assert {row["shape"] for row in rows} == set(SHAPES)
    asked = {
        shape: sorted((row["scenario"], row["trial"], row["expected"]) for row in rows if row["shape"] == shape)
        for shape in SHAPES
    }
    assert all(items == asked["text"] for items in asked.values())
    assert len(asked["text"]) == 4
    assert [body["tool_choice"] for body in server.asked if "tools" in body] == [{"type": "none"}] * 4
    number = len(server.asked)
    assert passkeys.pytest(*ALL, "-n2").code == 0
    assert len(server.asked) == number


def test_citations_have_rates_of_their_own(passkeys: Checkout, server: SimulatedServer) -> None:
    server.script = citing
    assert passkeys.record(server, "--ctx-shape=documents+citations").code == 0
    outcomes: dict[str, list[str]] = {}
    for row in passkeys.rows():
        outcomes.setdefault(row["family"], []).append(row["outcome"])
    assert outcomes == {name: ["correct"] * 4 for name in ("passkey", "passkey.cites", "passkey.cites_needle")}
    costs = {row["input_tokens"] for row in passkeys.rows() if row["family"] != "passkey"}
    assert costs == {None}
    server.script = lambda body: (200, {}, message(find_answer(prompt_of(body)), body))
    assert passkeys.record(server, "--ctx-shape=documents+citations", mode="all").code == 0
    assert {row["outcome"] for row in passkeys.rows() if row["family"] == "passkey.cites"} == {"wrong"}


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
    result = passkeys.longctx("compare", "reports/latest", "--between", "shape")
    assert result.code == 0
    assert result.says("chat against text", "by shape", "-1.00 [-1.00, -0.02] n=4")


def test_a_gate_pairs_the_same_shape(passkeys: Checkout, server: SimulatedServer) -> None:
    passkeys.profile(PASSKEY.replace("trials = 2", 'trials = 2\nshapes = ["text", "chat"]'))
    assert passkeys.record(server).code == 0
    assert passkeys.longctx("baseline", "save", "shapes").code == 0
    baseline = passkeys.file("fixtures/baselines/shapes.jsonl").read_text().splitlines()[1:]
    assert {json.loads(line).get("shape", "text") for line in baseline} == {"text", "chat"}
    passkeys.pytest("--ctx-baseline=shapes")
    gate = json.loads(passkeys.file("reports/latest/gate.json").read_text())
    assert [(family["before"], family["after"]) for family in gate["families"]] == [
        ({"model": "toy", "prompt_set": "protocol", "labels": {}},) * 2,
        ({"model": "toy", "prompt_set": "protocol", "labels": {}, "shape": "chat"},) * 2,
    ]


def test_a_family_of_one_text_says_so(checkout: Checkout) -> None:
    checkout.profile(LINES)
    result = checkout.pytest("--ctx-shape=chat")
    assert result.code == 1
    assert result.says("line_retrieval builds one text, whose pieces cannot be told apart", "'text' alone")


def test_the_estimate_counts_what_a_shape_adds(passkeys: Checkout, server: SimulatedServer) -> None:
    assert passkeys.record(server).code == 0
    tokens = {}
    for shape in SHAPES:
        out = passkeys.pytest("--ctx-estimate", "--ctx-record=all", f"--ctx-shape={shape}").out
        tokens[shape] = int(out.split("trials to ask, about ")[1].split()[0].replace(",", ""))
    assert tokens["text"] < tokens["chat"] < tokens["documents"] < tokens["documents+citations"]
    assert tokens["documents"] < tokens["tool_results"]


def test_an_unknown_shape_is_named(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-shape=essay")
    assert result.code == 4
    assert "essay" in result.err
    checkout.profile(LINES.replace("trials", 'shapes = ["essay"]\ntrials'))
    assert checkout.pytest().says("shapes", "documents+citations")
