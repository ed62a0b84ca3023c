"""The judge of test functions: the profile's own model, its agreement with labels; names of nothing."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.integration.conftest import Checkout, Result
from tests.integration.functions import ask
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TESTS = """
import pytest


@pytest.mark.longctx(cases="cases.jsonl")
def test_tone(ask, check, judge, case):
    reply = ask(f"Answer {case.id}.")
    said = judge(f"Is this polite: {reply.text} ({case.id})? Y or N.", label=case.get("human")).choice("YN")
    check("polite", said == "Y")
"""


def answer(body: Body) -> Answer:
    """The judge finds everything polite but case 0."""
    judged = body["model"] == "referee"
    text = ("N" if "case-0" in prompt_of(body) else "Y") if judged else "Please."
    return 200, {}, message(text, body)


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    checkout.profile('models = ["toy"]\njudge = "referee"\n')
    checkout.functions(TESTS)
    labels = ["N", "y", "N", None]
    lines = [
        json.dumps({"id": f"case-{number}"} | ({"human": label} if label else {}))
        for number, label in enumerate(labels)
    ]
    checkout.file("tests_longctx/cases.jsonl").write_text("\n".join(lines))
    return checkout


def record(project: Checkout, *arguments: str, script: Any = answer) -> Result:
    with SimulatedServer(script) as server:
        result = ask(project, server, *arguments, profile="tiny.toml")
        models = Counter(body["model"] for body in server.asked)
    assert models["referee"] == 4, (models, result)
    return result


def test_agreement_with_labels_is_beside_the_rate_and_not_gated(project: Checkout) -> None:
    result = record(project)
    assert result.code == 0, result
    agreement = [row for row in project.rows() if row["test"] == "test_tone.judge_agreement"]
    assert [(row["item"], row["outcome"]) for row in agreement] == [
        ("case-0", "correct"),
        ("case-1", "correct"),
        ("case-2", "wrong"),
    ]
    assert agreement[2]["why"] == "the judge's grade is Y, and the label N"
    assert {row["band"] for row in agreement} == {None}
    assert [(row["returned"], row["expected"]) for row in agreement] == [("N", "N"), ("Y", "y"), ("Y", "N")]
    assert result.says(
        "test_tone: the judge agrees with 2 of 3 labels", "3 labels are too few to know how often the judge errs"
    )
    assert result.says("test_tone.judge_agreement", "0.67 [0.21, 0.94] n=3")
    assert project.longctx("baseline", "save", "main").code == 0
    gated = project.pytest("tests_longctx/test_functions.py", "--ctx-baseline=main")
    assert gated.says("+0.000 [-1.00, +1.00] without the judge's errors"), gated
    gate = project.gate()
    assert [test["test"] for test in gate["tests"]] == ["test_tone", "test_tone.polite"]


def test_another_model_under_test_has_the_same_judge(project: Checkout) -> None:
    record(project, "--ctx-model=other")
    assert {row["model"] for row in project.rows()} == {"other"}


def test_a_verdict_that_cannot_be_read_is_not_measured(project: Checkout) -> None:
    record(project, script=lambda body: (200, {}, message("well", body)))
    assert [(row["outcome"], row["error"]) for row in project.rows()] == [("infra_error", "judge_error")] * 4


def test_a_check_may_not_have_the_name_of_the_agreement(project: Checkout) -> None:
    file = project.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text().replace('check("polite"', 'check("judge_agreement"'))
    with SimulatedServer(answer) as server:
        result = project.record(server, "tests_longctx/test_functions.py")
    assert result.code == 1
    assert result.says("test_tone has a check 'judge_agreement'")


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_table_of_no_function_is_named(project: Checkout, workers: str) -> None:
    project.profile('models = ["toy"]\n[test_tune]\nmin_rate = 0.5\n')
    result = project.pytest("tests_longctx/test_functions.py", workers)
    assert result.code != 0
    assert result.says("has a table [test_tune], but there is no test function of this name. Did you mean 'test_tone'?")


def test_a_table_of_a_function_that_was_not_selected_is_none_of_these(project: Checkout) -> None:
    project.file("tests_longctx/test_others.py").write_text("def test_other(ask):\n    pass\n")
    project.profile('models = ["toy"]\n[test_other]\ntrials = 5\n')
    assert "test_other" not in project.pytest("tests_longctx/test_functions.py", "--collect-only", "-q").out


@pytest.mark.parametrize(
    ("marker", "sentence"),
    [
        ("trails=5", "test_tone: trails of its marker or of its table in the profile: Extra inputs are not permitted"),
        ("trials=5, repeat=2", "Did you mean 'repeats'?"),
        ("5, 6", "its marker has 2 positional arguments"),
        ("trials=5, bands={'short': 'x'}", "test_tone: bands.short"),
    ],
)
def test_a_marker_that_is_misspelled_is_named(project: Checkout, marker: str, sentence: str) -> None:
    file = project.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text().replace('cases="cases.jsonl"', marker))
    result = project.pytest("tests_longctx/test_functions.py")
    assert result.code == 1, result
    assert result.says(sentence), result
