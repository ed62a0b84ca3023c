"""`questions try`: the controls of a question file, the filter, and what each question is worth."""

from __future__ import annotations

import csv
import json
import re

import pytest

from tests.integration.conftest import Checkout, Result
from tests.integration.harbor import harbors, reader
from tests.servers import Body, SimulatedServer, prompt_of, saying

RECORDED = ("--model", "qwen2.5-coder-0.5b", "--prompts", "tagged", "--longest", 600, "--max-tokens", 300)


@pytest.fixture
def own(checkout: Checkout) -> Checkout:
    """Return a checkout with six documents of a user and questions about them."""
    checkout.take("tests_longctx/test_control.py")
    harbors(checkout, range(6))
    return checkout


def test_a_users_questions_are_asked_filtered_and_reported(own: Checkout) -> None:
    command = (
        "data",
        "questions",
        "try",
        "questions.jsonl",
        "--corpus",
        "documents",
        "--model",
        "toy",
        "--report",
        "run",
    )
    with SimulatedServer(reader) as server:
        asked = own.longctx(*command, "--record", "once", "--base-url", server.url, "--no-page")
    assert asked.code == 0, asked.err + asked.out
    assert asked.says("18 trials: 18 live", "questions are answered right with their section alone")
    assert asked.says("and kept for collages; all were sent. Commit fixtures/questions/filters/toy-")
    assert asked.says("kept, few for a collage", "right section", "Questions by what the right section is worth")
    assert "Controls of the questions" not in asked.out  # the run's own tables: said once is enough
    [made] = (own.folder / "fixtures/questions/filters").glob("toy-*.json")
    kept = json.loads(made.read_text())["kept"]
    with own.file("run/questions.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    right = sorted(line["question"] for line in lines if line["right_correct"] == "1")
    assert [name.partition("@")[0] for name in kept] == right, "each with the digest of the question"
    assert "What does the harbor of district 3 collect a barge?" in own.file("run/questions.md").read_text()

    before = made.read_bytes()
    again = own.longctx(*command[:-1], "again", "--no-page")
    assert again.code == 0, again.err + again.out
    assert again.says("18 replayed", "exists already and stays")
    assert made.read_bytes() == before

    there = own.longctx(*command)
    assert there.code == 2
    assert there.says("--report run is not empty")


def test_no_filter_is_frozen_while_answers_are_missing(own: Checkout) -> None:
    command = (
        "data",
        "questions",
        "try",
        "questions.jsonl",
        "--corpus",
        "documents",
        "--model",
        "toy",
        "--no-page",
    )
    with SimulatedServer(reader) as server:
        ask = ("--record", "once", "--base-url", server.url)
        first = own.longctx(*command, "--trials", 3, "--ask-only", *ask)
    assert first.code == 0, first.err + first.out
    half = own.longctx(*command)
    assert half.code == 1
    assert half.says("Not measured: 9 trials missing", "No filter is made while answers are missing")
    whole = own.longctx(*command, "--trials", 3)
    assert whole.code == 0
    assert whole.says("kept for collages; the 3 others were not sent, and are left out of collages")


def test_the_recorded_controls_replay(own: Checkout) -> None:
    own.take("cassettes/qwen2.5-coder-0.5b/control", "fixtures/questions")
    register = "fixtures/questions/register.jsonl"
    result = own.longctx("data", "questions", "try", register, *RECORDED, "--trials", 100, "--no-page")
    assert result.code == 0, result.err + result.out
    assert result.says(
        "right section 41 44 15 0.41 [0.32, 0.51] n=100 +0.21", "wrong section 21 70 9", "no record 23 77 0"
    )
    assert result.says("41 of 85 questions", "exists already and stays: it keeps 41 of 100")
    assert result.says(
        "24 of 300 replies have no readable answer: the answer begins with none of A, B, C, D (24). They"
    )


def try_toy(own: Checkout, *more: object) -> Result:
    return own.longctx(
        "data", "questions", "try", "questions.jsonl", "--corpus=documents", "--model=toy", "--no-page", *more
    )


def test_replies_that_cannot_be_read_are_no_evidence_on_questions(own: Checkout) -> None:
    with SimulatedServer(saying("I would say that it is the second of these.")) as server:
        asked = try_toy(own, "--report=run", "--record=once", "--no-canary", "--base-url", server.url)
    assert asked.code == 1, asked.err + asked.out
    assert asked.says(
        "18 of 18 replies have no readable answer: no <Answer> tag in the reply (18). They do not count for",
        "with its right section: “I would say that it is the second of these.”",
        "prefill = true in fixtures/models/toy.toml, if its server takes one",
        "--prompts tagged, whose answers begin with the tag that is read",
        "No filter is made: ",
        "right section 0 0 6 0.00",
        "no readable answer",
    )
    assert "too hard" not in asked.out
    assert "questions are kept" not in asked.out
    assert not list((own.folder / "fixtures/questions/filters").glob("toy-*"))
    filtered = own.longctx("data", "filter", "run")
    assert filtered.code == 2
    assert filtered.says("none of the 6 questions", "no filter is made", "18 of 18 replies have no readable answer")
    assert not list((own.folder / "fixtures/questions/filters").glob("toy-*"))


def test_what_helps_depends_on_what_happened(own: Checkout) -> None:
    """Replies that were cut off need room, and `tagged` is tried already."""
    with SimulatedServer(saying("Let me see: ", stop_reason="max_tokens")) as server:
        cut = try_toy(own, "--record=once", "--base-url", server.url)
        assert cut.says("cut off after", "Fix: a longer reply (--max-tokens, 3000 now)")
        assert "prefill = true" not in cut.out
        server.script = saying("Let me see.")
        tagged = try_toy(own, "--prompts=tagged", "--record=new_episodes", "--base-url", server.url)
        assert tagged.says("prefill = true in fixtures/models/toy.toml, if its server takes one")
        assert tagged.says("a prompt set of your own")
        assert "--prompts tagged" not in tagged.out


def test_some_replies_that_cannot_be_read_freeze_nothing_unless_told(own: Checkout) -> None:
    def script(body: Body):
        return saying("Harbor? ")(body) if "district 2 collect a" in prompt_of(body) else reader(body)

    with SimulatedServer(script) as server:
        asked = try_toy(own, "--report=run", "--record=once", "--base-url", server.url)
    assert asked.code == 0
    assert asked.says("questions are answered right with their section alone, and kept for collages")
    [made] = (own.folder / "fixtures/questions/filters").glob("toy-*.json")
    kept = json.loads(made.read_text())
    assert not any(name.startswith("q2@") for name in (*kept["kept"], *kept["dropped"])), "it is not decided yet"


def test_a_filter_that_keeps_nothing_is_not_frozen(own: Checkout) -> None:
    """All answers can be read and all are wrong, so no question is left for a collage."""

    def script(body: Body):
        wrong = re.findall(r"(\w)\. \d+ crowns", prompt_of(body).rpartition("<Answers>")[2])
        right = json.loads(reader(body)[2])["content"][0]["text"][-10]
        return saying(f"<Answer>{next(letter for letter in wrong if letter != right)}</Answer>")(body)

    with SimulatedServer(script) as server:
        asked = try_toy(own, "--report=run", "--record=once", "--base-url", server.url)
    assert asked.code == 1
    assert asked.says("No filter is made: it would keep none of 6 questions")
    assert "0 questions are kept" not in asked.out
    assert own.longctx("data", "filter", "run").says("[filter-keeps-nothing]")
    assert not list((own.folder / "fixtures/questions/filters").glob("toy-*"))


def test_nothing_measured_is_a_sentence(own: Checkout) -> None:
    result = own.longctx("data", "questions", "try", "questions.jsonl", "--corpus", "documents", "--model", "toy")
    assert result.code == 2
    assert result.says("have no recording", "18 trials missing", "[controls-not-measured]")


def test_an_estimate_asks_nothing_and_leaves_nothing(own: Checkout) -> None:
    command = ("data", "questions", "try", "questions.jsonl", "--corpus", "documents", "--model", "toy", "--estimate")
    result = own.longctx(*command)
    assert result.code == 0, result.err
    assert result.out.startswith("Price not known, for 18 trials; nothing was sent.")
    assert re.search(r"^control +unknown +18 of 18 ", result.out, re.MULTILINE)
    assert not list(own.file("reports").glob("*"))
    wrong = own.longctx(*command, "--trials", 0)
    assert wrong.code == 2
    assert wrong.says("[bad-number]")
