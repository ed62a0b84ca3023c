"""Test functions in what reads runs: plan, show, compare, and the page."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.given import json_lines
from tests.integration.conftest import Checkout, copied
from tests.integration.functions import ask
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TESTS = """
import pytest


@pytest.mark.longctx(trials=20)
@pytest.mark.parametrize("share", [0.25, 0.5])
@pytest.mark.parametrize("style", ["short", "long"])
def test_code(ask, draw, check, share, style):
    code = draw.integer(10_000, 99_999)
    text = draw.filler(100).insert(f"The code is {code}.", depth=share)
    first = ask(f"{text}\\n\\nWhat is the code, in {style}?", system="Be brief.", max_tokens=50)
    second = ask(messages=[{"role": "user", "content": "Once more: the code is 12345."}], max_tokens=50)
    check("again", second.integer() == 12345)
    assert first.integer() == code


@pytest.mark.longctx(cases="cases.jsonl", cluster="group")
def test_review(ask, check, judge, case):
    reply = ask(f"The code is {case.code}. Say it.")
    check("polite", judge(f"Is {case.id} polite? Y or N.").choice("YN") == "Y")
    assert reply.integer() == case.code
"""


def code(body: Body) -> Answer:
    if body["model"] == "referee":
        return 200, {}, message("N" if "case-1 " in prompt_of(body) else "Y", body)
    found = re.search(r"code is (\d+)", prompt_of(body))
    return 200, {}, message("0" if "in long" in prompt_of(body) else found[1] if found else "none", body)


@pytest.fixture(scope="module")
def measured_once(fresh: Callable[[], Checkout]) -> Checkout:
    project = fresh()
    project.profile('models = ["toy"]\njudge = "referee"\n')
    project.functions(TESTS)
    lines = ({"id": f"case-{n}", "group": f"g{n % 20}", "code": 10_000 + n} for n in range(40))
    json_lines(project.file("tests_longctx/cases.jsonl"), *lines)
    project.prices(2, 10)
    project.prices(1, 5, model="referee")
    with SimulatedServer(code) as server:
        result = ask(project, server, profile="tiny.toml", page=True)
    assert result.code == 0, result
    assert project.longctx("baseline", "save", "main").code == 0
    return project


measured = copied("measured_once")


def details(project: Checkout) -> list[dict[str, Any]]:
    files = sorted(project.file("reports/latest/details").iterdir(), key=lambda file: int(file.stem))
    chunks = re.findall(r'"(H4sI[A-Za-z0-9+/=]+)"', "".join(file.read_text() for file in files))
    return [trial for chunk in chunks for trial in json.loads(gzip.decompress(base64.b64decode(chunk)))]


def test_a_number_that_is_no_integer_is_a_parameter(measured: Checkout) -> None:
    rows = measured.rows()
    assert {row["params"]["share"] for row in rows if row["test"] == "test_code"} == {0.25, 0.5}


def test_the_page_has_the_conversation_of_a_trial(measured: Checkout) -> None:
    trials = details(measured)
    names = [[name for excerpt in trial["excerpts"] for name in excerpt["names"]] for trial in trials]
    chats = [trial for trial, named in zip(trials, names, strict=True) if "request 2" in named]
    assert len(chats) == 80
    said = {part["names"][0]: "".join(text for _, text in part["pieces"]) for part in chats[0]["excerpts"]}
    assert said["system prompt"] == "Be brief."
    assert "What is the code, in" in said["request 1"]
    assert said["reply 1"].isdigit()
    assert said["request 2"] == "Once more: the code is 12345."
    assert chats[0]["reply"] == "12345"
    assert said["checks"] == "again: holds"
    [judged] = [trial for trial in trials if any("case-1 " in str(part["pieces"]) for part in trial["excerpts"])]
    said = {part["names"][0]: "".join(text for _, text in part["pieces"]) for part in judged["excerpts"]}
    assert (said["to the judge, 1"], said["of the judge, 1"]) == ("Is case-1 polite? Y or N.", "N")
    assert said["checks"] == "polite: fails"


def test_the_page_has_a_curve_for_each_number_and_the_effect_of_each_other_parameter(measured: Checkout) -> None:
    charts = {path.stem for path in measured.file("reports/latest/charts").iterdir()}
    assert {"test-code-by-share-1", "test-code-by-style", "test-code.again-by-style"} <= charts
    summary = measured.file("reports/latest/summary.md").read_text()
    names = re.findall(r"^## ([\w.]+)", summary, re.MULTILINE)
    assert names == ["Tests", "test_code", "test_code.again", "test_review", "test_review.polite"]
    assert "test_code.again on toy" not in summary  # a check takes no tokens of its own


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_checks_are_beside_their_function(measured: Checkout, workers: str) -> None:
    out = measured.pytest("tests_longctx/test_functions.py", workers).out
    places = [
        out.index(f"\n{name}") for name in ("test_code\n", "test_code.again\n", "test_review\n", "test_review.polite\n")
    ]
    assert places == sorted(places)


def test_show_prints_what_was_measured_of_a_trial(measured: Checkout) -> None:
    result = measured.longctx("show", "reports/latest", "test_code/style-short-share-0.25#3")
    assert result.code == 0, result
    assert result.says("# outcome: correct", "# system prompt Be brief.", "# request 2 Once more", "# reply 12345")
    by_id = measured.longctx("show", "test_review/all#case-1", "--run", "reports/latest")
    assert by_id.says("# item: case-1", "# to the judge, 1 Is case-1 polite?", "# checks polite: fails"), by_id
    assert measured.longctx("show", "reports/latest", "test_review/all#case-99").says("has no trial case-99")
    assert measured.longctx("show", "test_review/all").says("# request 1", "Say it.", "# outcome: none yet")


def test_plan_needs_no_cases_and_no_profile(measured: Checkout) -> None:
    for file in measured.folder.glob("*.toml"):
        file.unlink()
    result = measured.longctx("plan", "-v", "--from", "main")
    assert result.code == 0, result
    assert result.says("Plan of the test functions of main", "test_code", "test_code.again", "test_review.polite")
    assert result.says("Trials of test_review (all), test_review.polite (all) come in clusters")
    assert measured.longctx("plan", "--from", "main", "main", "main").says("--from takes one run or two")


def test_compare_and_the_csv_have_functions(measured: Checkout) -> None:
    measured.pytest("tests_longctx/test_functions.py", "--ctx-report=reports/second")
    compared = measured.longctx("compare", "reports/latest", "reports/second", "-v")
    assert compared.code == 0, compared
    assert compared.says("test_review.polite")
    assert "case-39" in measured.file("reports/latest/results.csv").read_text()
