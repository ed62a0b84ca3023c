"""Expected answers, accepted answers, labels and judges that a change edits: what they judge is not compared."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.given import json_lines
from tests.integration.conftest import Checkout, copied
from tests.integration.functions import ask, run
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TESTS = """
import longctx
import pytest

JUDGE = "Does the answer name the number? Y or N."


@pytest.mark.longctx(cases="cases.jsonl")
def test_desk(ask, case):
    assert case.answer in ask(f"What is {case.question}? The number {case.number}.").text


@pytest.mark.longctx(trials=60)
def test_probe(ask, draw):
    turns = [{"role": "user", "content": "The number is 4."}, {"role": "assistant", "content": "Noted."}]
    ask.probe(longctx.Transcript(turns), longctx.Probe("Which number?", accept=("four", "number 4")))


@pytest.mark.longctx(trials=60)
def test_judged(ask, judge, draw):
    answer = ask(f"Which number? The number {draw.integer(100, 999)}.")
    assert judge(f"{JUDGE}\\n{answer.text}", label="Y").choice("YN") == "Y"
"""
CASES = [{"id": f"c{n}", "question": f"item {n}", "number": 1000 + n, "answer": f"{1000 + n}"} for n in range(120)]


def right(body: Body) -> Answer:
    """Answer with the number in the prompt; as a judge, that the answer is right."""
    prompt = prompt_of(body)
    if "Y or N" in prompt or "Kindly" in prompt:
        return 200, {}, message("Y", body)
    found = re.search(r"number(?: is)? (\d+)", prompt)
    return 200, {}, message(f"Of course, it is number {found[1] if found else 'none'}.", body)


def write_cases(project: Checkout, cases: list[dict[str, Any]]) -> None:
    json_lines(project.file("tests_longctx/cases.jsonl"), *cases)


@pytest.fixture(scope="module")
def gated_once(fresh: Callable[[], Checkout]) -> Checkout:
    project = fresh()
    project.functions(TESTS)
    write_cases(project, CASES)
    project.file("fixtures/profiles").mkdir()
    project.profile('margin = 0.1\njudge = "toy"\n', 'models = ["toy"]\n', name="fixtures/profiles/only.toml")
    with SimulatedServer(right) as server:
        result = ask(project, server)
        assert result.code == 0, result
    assert project.longctx("baseline", "save", "main").code == 0
    return project


gated = copied("gated_once")


def gated_run(project: Checkout) -> tuple[int, str]:
    result = run(project, "--ctx-baseline=main")
    return result.code, project.file("reports/latest/gate.md").read_text().partition("\n")[0]


def test_nothing_changed(gated: Checkout) -> None:
    assert gated_run(gated)[0] == 0
    assert {re.sub("=[^ ]+", "", row["judged_by"]) for row in gated.rows()} == {
        "case",
        "accepted",
        "judge judge_prompt labels",
    }


def test_an_edited_answer_makes_no_regression_a_pass(gated: Checkout) -> None:
    write_cases(gated, [{**case, "answer": ""} for case in CASES])
    code, title = gated_run(gated)
    assert code == 12
    assert title.startswith(
        "### ⛔ longctx: invalid: expected answers of 120 of 240 cases changed: save a new baseline; not enough trials"
    )
    assert "would be" not in gated.file("reports/latest/gate.md").read_text(), "all of test_desk is missing"


def test_a_single_edited_answer_is_counted_beside_the_verdict(gated: Checkout) -> None:
    write_cases(gated, [{**CASES[0], "answer": "number"}, *CASES[1:]])
    code, title = gated_run(gated)
    assert (code, title.rpartition("; ")[2]) == (0, "expected answers of 1 of 240 cases changed, and are not compared")
    [desk] = [test for test in gated.gate()["tests"] if test["test"] == "test_desk"]
    assert (desk["bands"][0]["n"], desk["unmeasured"]) == (119, 1)


@pytest.mark.parametrize(
    ("before", "after", "counted"),
    [
        ('"four", "number 4"', '"number"', "expected answers of 60 of 240"),
        ('label="Y"', 'label="N"', "expected answers of 60 of 240"),
    ],
)
def test_accepted_answers_and_labels_are_held_against_the_base(
    gated: Checkout, before: str, after: str, counted: str
) -> None:
    file = gated.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text().replace(before, after))
    code, title = gated_run(gated)
    assert (code, f"invalid: {counted} cases changed: save a new baseline" in title) == (12, True), title


def test_so_is_the_prompt_of_a_judge(gated: Checkout) -> None:
    file = gated.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text().replace("Does the answer", "Kindly: does the answer"))
    with SimulatedServer(right) as server:
        assert ask(gated, server, mode="new_episodes").code == 0
    code, title = gated_run(gated)
    counted = "the judge or its prompt of 60 of 240 cases changed: save a new baseline"
    assert (code, counted in title) == (12, True), title


def test_other_answers_of_the_model_leave_the_judges_prompt_as_it_was(gated: Checkout) -> None:
    def other(body: Body) -> Answer:
        status, headers, content = right(body)
        return status, headers, content.replace(b"Of course, it is", b"That must be")

    with SimulatedServer(other) as server:
        result = ask(gated, server, "--ctx-baseline=main", mode="all")
    assert result.code == 0, result


def test_a_baseline_of_an_earlier_version_is_compared_as_before(gated: Checkout) -> None:
    file = gated.file("fixtures/baselines/main.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        line.pop("judged_by", None)
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    write_cases(gated, [{**case, "note": "seen"} for case in CASES])
    code, title = gated_run(gated)
    assert (code, title.startswith("### ✅ longctx: ")) == (0, True)


def test_stale_trials_are_no_trials_without_a_difference(gated: Checkout) -> None:
    file = gated.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text().replace("Which number? The", "Which number? Say it. The"))
    options = "--ctx-model=toy", "--ctx-baseline=main"
    result = gated.pytest("tests_longctx/test_functions.py", *options, profile=None, page=True)
    changed = (
        "Changed: the code of test_judged changed since the baseline; 60 of 240 trials are stale, recorded for another "
        "request: messages; model and parameters are the same."
    )
    assert result.code == 12
    assert result.says(changed)
    page = html.unescape(gated.file("reports/latest/index.html").read_text())
    for text in (gated.file("reports/latest/gate.md").read_text(), page):
        assert changed in text
        assert "would be" not in text
