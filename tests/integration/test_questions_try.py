"""`questions try`: the controls of a question file, the filter, and what each question is worth."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from tests.integration.conftest import ROOT, Checkout
from tests.integration.test_corpus import notice, question, reader
from tests.servers import SimulatedServer

RECORDED = ("--model", "qwen2.5-coder-0.5b", "--prompts", "tagged", "--longest", 600, "--max-tokens", 300)


@pytest.fixture
def own(checkout: Checkout) -> Checkout:
    """A checkout with six documents of a user's, and questions about them."""
    shutil.copy(ROOT / "tests_longctx" / "test_control.py", checkout.folder / "tests_longctx")
    documents = checkout.file("documents")
    documents.mkdir()
    (documents / "corpus.toml").write_text("min_tokens = 0\n")
    for number in range(6):
        (documents / f"n{number}.txt").write_text(notice(number))
    checkout.file("questions.jsonl").write_text("".join(f"{json.dumps(question(number))}\n" for number in range(6)))
    return checkout


def test_a_users_questions_are_asked_filtered_and_reported(own: Checkout) -> None:
    command = ("questions", "try", "questions.jsonl", "--corpus", "documents", "--model", "toy", "--report", "run")
    with SimulatedServer(reader) as server:
        asked = own.longctx(*command, "--record", "once", "--base-url", server.url, "--ctx-no-page")
    assert asked.code == 0, asked.err + asked.out
    assert asked.says("18 trials: 18 live", "questions are answered right with their section alone")
    assert asked.says("and kept for collages; all were asked. Commit fixtures/questions/filters/toy-")
    assert asked.says("kept, few for a collage", "right section", "Questions by what the right section is worth")
    assert "Controls of the questions" not in asked.out  # the run's own tables: said once is enough
    [made] = (own.folder / "fixtures/questions/filters").glob("toy-*.json")
    kept = json.loads(made.read_text())["kept"]
    with own.file("run/questions.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert sorted(line["question"] for line in lines if line["right_correct"] == "1") == kept
    assert "What does the harbor of district 3 collect a barge?" in own.file("run/questions.md").read_text()

    before = made.read_bytes()
    again = own.longctx(*command[:-1], "again", "--ctx-no-page")
    assert again.code == 0, again.err + again.out
    assert again.says("18 replayed (100%)", "is there already and stays")
    assert made.read_bytes() == before

    there = own.longctx(*command)
    assert there.code == 2
    assert there.says("--report run is not empty")


def test_no_filter_is_frozen_while_answers_are_missing(own: Checkout) -> None:
    command = ("questions", "try", "questions.jsonl", "--corpus", "documents", "--model", "toy", "--ctx-no-page")
    with SimulatedServer(reader) as server:
        ask = ("--record", "once", "--base-url", server.url)
        first = own.longctx(*command, "--trials", 3, "--ctx-ask-only", *ask)
    assert first.code == 0, first.err + first.out
    half = own.longctx(*command)
    assert half.code == 1
    assert half.says("Not measured: 9 trials missing", "No filter is made while answers are missing")
    whole = own.longctx(*command, "--trials", 3)
    assert whole.code == 0
    assert whole.says("kept for collages; the 3 others were not asked, and are not asked in a collage")


def test_the_recorded_controls_replay(own: Checkout) -> None:
    shutil.copytree(ROOT / "cassettes/qwen2.5-coder-0.5b/control", own.file("cassettes/qwen2.5-coder-0.5b/control"))
    register = "fixtures/questions/register.jsonl"
    result = own.longctx("questions", "try", register, *RECORDED, "--trials", 100, "--ctx-no-page")
    assert result.code == 0, result.err + result.out
    assert result.says("right section 41 59 0.41 [0.32, 0.51] n=100 +0.21", "wrong section 21 79", "no record 23 77")
    assert result.says("41 of 100 questions", "is there already and stays: it keeps 41 of 100")


def test_nothing_measured_is_a_sentence(own: Checkout) -> None:
    result = own.longctx("questions", "try", "questions.jsonl", "--corpus", "documents", "--model", "toy")
    assert result.code == 2
    assert result.says("have no recording", "Nothing was measured with the right section: 18 trials missing")


def test_an_estimate_asks_nothing_and_leaves_nothing(own: Checkout) -> None:
    command = ("questions", "try", "questions.jsonl", "--corpus", "documents", "--model", "toy", "--estimate")
    result = own.longctx(*command)
    assert result.code == 0, result.err
    assert result.says("18 of 18 trials to ask")
    assert not list(own.file("reports").glob("*"))
    wrong = own.longctx(*command, "--trials", 0)
    assert wrong.code == 4
    assert wrong.says("'0' is no whole number of at least 1")
