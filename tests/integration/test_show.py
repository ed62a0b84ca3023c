"""python -m longctx show: the exact prompt of a trial, before anything is asked."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.here import HERE
from tests.integration.conftest import PASSKEY, Checkout
from tests.servers import SimulatedServer


def test_it_is_what_the_model_is_sent(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "-k", "lines-5", "--ctx-concurrency=1")
    [row] = [row for row in checkout.rows() if row["trial"] == 1]
    asked = server.asked[1]["messages"][0]["content"]
    result = checkout.longctx("show", "line_retrieval/lines-5#1", "--model=toy")
    assert result.code == 0
    assert result.out.endswith(f"\n# user\n{asked}\n")
    assert f"# sha256 of that request: {row['prompt_sha256']}\n" in result.out
    assert f"# expected: {row['expected']}\n" in result.out


def test_passkey_by_its_model(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(PASSKEY)
    checkout.record(server, "--ctx-concurrency=1", "-k", "k-128")
    result = checkout.longctx("show", "passkey/window-256-k-128", "--model", "toy")
    assert result.code == 0
    assert result.out.endswith(f"\n# user\n{server.asked[0]['messages'][0]['content']}\n")
    assert "# fillers_before: " in result.out
    result = checkout.longctx("show", "passkey/window-256-k-128")
    assert result.code == 2
    assert result.says("[tokenizer-unknown]")


def test_a_question_about_documents_of_ones_own(checkout: Checkout) -> None:
    questions = HERE.own("questions", "handbook.jsonl")
    shutil.copytree(HERE.root / "fixtures/handbook", checkout.file("handbook"))
    own = ["--corpus=handbook", f"--questions={questions}", f"--prompts={HERE.own('prompts', 'tagged')}"]
    result = checkout.longctx("show", "control/longest-400-record-right", *own)
    assert result.code == 0
    [asked] = [
        question
        for question in map(json.loads, questions.read_text().splitlines())
        if question["question"] in result.out
    ]
    title, *_ = checkout.file(f"handbook/{asked['section']}.md").read_text().splitlines()
    assert title in result.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["line_retrieval"], "[not-a-cell]"),
        (["line_retrival/lines-5"], "Did you mean 'line_retrieval'?"),
        (["fixtures"], "fixtures is a folder: add a trial of its run."),
        (["lines/lines-5"], "[not-a-cell]"),
        (["line_retrieval/lines-5-depth-3"], "[bad-cell-parameters]"),
        (["passkey/window-256"], "[bad-cell-parameters]"),
        (["line_retrieval/lines-5-block_size-9"], "[bad-cell-parameters]"),
        (["line_retrieval/lines-5-block_size-0"], "[bad-cell-parameters]"),
        (["line_retrieval/lines-0"], "[bad-cell-parameters]"),
        (["passkey/window-9-k-10", "--model=toy"], "[bad-cell-parameters]"),
        (["passkey/window-256-k-9", "--model=toy"], "[prompt-set-not-measured]"),
        (["line_retrieval/lines-5", "--prompts=sead"], "[unknown-prompt-set]"),
        (["line_retrieval/lines-5", "--sead=1"], "unrecognized arguments: --sead=1"),
    ],
)
def test_a_mistake_is_a_sentence(checkout: Checkout, arguments: list[str], sentence: str) -> None:
    result = checkout.longctx("show", *arguments)
    assert result.code == 2, result.err
    assert result.says(sentence)
    assert not result.out
