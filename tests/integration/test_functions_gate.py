"""A gate of test functions: baseline, verdict, bands, checks, what is left out, and what is foreseen."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.given import json_lines
from tests.integration.conftest import Checkout, copied
from tests.integration.functions import ask, codes, run, verdicts
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of, saying

TESTS = """
import pytest


@pytest.mark.longctx(trials={trials}, bands={{"short": 100, "long": 1000}})
@pytest.mark.parametrize("tokens", [100, 400])
def test_code(ask, draw, check, tokens):
    code = draw.integer(10_000, 99_999)
    text = draw.filler(tokens).insert(f"The refund code is {{code}}.", depth=draw.uniform())
    reply = ask(f"{{text}}\\n\\nWhat is the refund code?")
    check("polite", "please" in reply.text)
    assert reply.integer() == code


@pytest.mark.longctx(cases="cases.jsonl", cluster="contract")
def test_review(ask, check, case):
    reply = ask(f"{{case.contract}} has the number {{case.number}}. Which?")
    assert str(case.number) in reply.text
"""


MARGIN = "margin = 0.3\n"
"""With it, 20 trials are enough for a verdict."""


def wrong_when_long(body: Body) -> Answer:
    return codes(body) if len(prompt_of(body)) < 1000 else (200, {}, message("0, please", body))


def rude(body: Body) -> Answer:
    status, headers, content = codes(body)
    return status, headers, content.replace(b", please", b"")


def write(project: Checkout, trials: int = 20, cases: int = 20, per_contract: int = 1) -> Checkout:
    project.functions(TESTS.format(trials=trials))
    lines = [
        {"id": f"case-{number}", "contract": f"contract {number // per_contract}", "number": 1000 + number}
        for number in range(cases)
    ]
    json_lines(project.file("tests_longctx/cases.jsonl"), *lines)
    return project


@pytest.fixture(scope="module")
def gated_once(fresh: Callable[[], Checkout]) -> Checkout:
    """Return a project whose functions are recorded with a model that is right, with a baseline, and its profile."""
    project = write(fresh())
    project.file("fixtures/profiles").mkdir()
    project.profile(MARGIN, 'models = ["toy"]\n', name="fixtures/profiles/only.toml")
    with SimulatedServer(codes) as server:
        result = ask(project, server)
        assert result.code == 0, result
    result = project.longctx("baseline", "save", "main")
    assert result.code == 0, result
    return project


gated = copied("gated_once")


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_the_same_answers_pass_in_each_band_and_check(gated: Checkout, workers: str) -> None:
    result = run(gated, "--ctx-baseline=main", workers)
    assert result.code == 0, result
    assert verdicts(gated) == {
        ("test_code", "short"): "pass",
        ("test_code", "long"): "pass",
        ("test_code.polite", "short"): "pass",
        ("test_code.polite", "long"): "pass",
        ("test_review", "all"): "pass",
    }


def test_other_answers_are_compared_trial_by_trial(gated: Checkout) -> None:
    with SimulatedServer(wrong_when_long) as server:
        result = ask(gated, server, "--ctx-baseline=main", mode="all")
    assert result.code == 10, result
    assert result.says("Gate: regression - test_code -1.000 in long")
    assert verdicts(gated)["test_code", "short"] == "pass"


def test_a_check_has_a_verdict_of_its_own(gated: Checkout) -> None:
    with SimulatedServer(rude) as server:
        gated.profile('looks = "once"\n', MARGIN, 'models = ["toy"]\n', name="fixtures/profiles/only.toml")
        result = ask(gated, server, "--ctx-baseline=main", mode="all")
    assert result.code == 10, result
    assert {where: verdict for where, verdict in verdicts(gated).items() if verdict == "regression"} == {
        ("test_code", "short"): "regression",
        ("test_code", "long"): "regression",
        ("test_code.polite", "short"): "regression",
        ("test_code.polite", "long"): "regression",
    }
    assert verdicts(gated)["test_review", "all"] == "pass"


def test_a_run_without_cells_of_the_baseline_is_invalid(gated: Checkout) -> None:
    result = run(gated, "--ctx-baseline=main", "-k", "not review and not 400", "-n1")
    assert result.code == 12, result
    assert result.says("2 of 3 cells were left out")


def test_a_cell_that_was_removed_from_the_test_is_named(gated: Checkout) -> None:
    file = gated.file("tests_longctx/test_functions.py")
    file.write_text(file.read_text().replace("[100, 400]", "[100]"))
    result = run(gated, "--ctx-baseline=main")
    assert result.code == 12, result
    assert result.says("the run does not judge 1 of the 5 cells that its baseline judges (test_code/tokens-400)")


def test_a_run_with_cells_left_out_is_no_baseline(gated: Checkout) -> None:
    run(gated, "-k", "review")
    result = gated.longctx("baseline", "save", "part")
    assert result.code != 0
    assert result.says("it left out 2 of its grid's cells: test_code/tokens-100 of toy, prompts protocol")


def test_cases_keep_their_ids_and_clusters_in_a_baseline(gated: Checkout) -> None:
    """A case that was added and one that was retired change nothing for the others."""
    gated.file("pyproject.toml").write_text('[tool.longctx.retired]\n"test_review#case-0" = "its contract ended"\n')
    file = gated.file("tests_longctx/cases.jsonl")
    lines = file.read_text().splitlines()
    new = {"id": "new", "contract": "contract 0", "number": 999}
    file.write_text("\n".join([json.dumps(new), *lines[1:]]) + "\n")
    with SimulatedServer(codes) as server:
        result = ask(gated, server, "--ctx-baseline=main")
        assert result.code == 0, result
        assert len(server.asked) == 1
    [review] = [test for test in gated.gate()["tests"] if test["test"] == "test_review"]
    assert (review["bands"][0]["n"], review["bands"][0]["clusters"]) == (19, 19)


def test_clusters_are_respected(template: Checkout, tmp_path: Any) -> None:
    project = write(template.copied(tmp_path / "checkout"), cases=60, per_contract=10)
    with SimulatedServer(codes) as server:
        assert ask(project, server).code == 0
    assert project.longctx("baseline", "save", "main").code == 0
    with SimulatedServer(rude) as server:
        result = ask(project, server, "--ctx-baseline=main", mode="all")
    assert result.code == 10, result
    [review] = [test for test in project.gate()["tests"] if test["test"] == "test_review"]
    assert review["bands"][0]["clusters"] == 6


def test_a_profile_has_bands_of_a_function_and_leaves_one_out(gated: Checkout) -> None:
    """The baseline has no profile, so that another one excuses nothing."""
    gated.file("fixtures/profiles/only.toml").unlink()
    assert run(gated).code == 0
    assert gated.longctx("baseline", "save", "bare").code == 0
    gated.profile(MARGIN, "[test_code]\nbands = { all-lengths = 1000 }\n[test_review]\ngated = false\n")
    without = ("tests_longctx/test_functions.py", "--ctx-model=toy")
    result = gated.pytest(*without, "--ctx-baseline=bare")
    assert result.code == 12, result
    assert result.says("the run does not judge 1 of the", "cells that its baseline judges (test_review/")
    assert gated.longctx("baseline", "save", "without").code == 0
    result = gated.pytest(*without, "--ctx-baseline=without")
    assert result.code == 0, result
    assert list(verdicts(gated)) == [("test_code", "all-lengths"), ("test_code.polite", "all-lengths")]


def test_a_verdict_that_must_be_invalid_ends_the_run_before_it_asks(gated: Checkout) -> None:
    with SimulatedServer(codes) as server:
        result = ask(gated, server, "--ctx-baseline=main", "-k", "not review", mode="all")
        assert result.code == 12, result
        assert result.says("The verdict could only be invalid, so no requests were sent.")
        assert not server.received


def test_a_baseline_with_nothing_to_lose_is_named_before_anything_is_asked(template: Checkout, tmp_path: Any) -> None:
    project = write(template.copied(tmp_path / "checkout"), trials=20)
    with SimulatedServer(lambda body: (200, {}, message("0", body))) as server:
        ask(project, server)
    result = project.longctx("baseline", "save", "main")
    assert result.says("No run can pass against it: test_code of toy")
    result = run(project, "--ctx-baseline=main", "--ctx-estimate")
    assert result.says("No run can pass: test_code of toy", "No run can pass: test_code.polite of toy"), result


CREDIT = """
import pytest


@pytest.mark.longctx(trials=20)
def test_summary(ask, draw, check):
    reply = ask(f"How much of report {draw.integer(1, 10**9)} is in the summary?")
    check("coverage", float(reply.text))
"""


def test_partial_credit_of_a_check_is_gated_on_its_mean(checkout: Checkout) -> None:
    """Every share fell from 0.9 to 0.6, of which none counts as wholly right: the trial's own outcome stays right."""
    checkout.functions(CREDIT)
    gated = "--ctx-baseline=main"
    checkout.options(margin=0.2)
    with SimulatedServer(saying("0.9")) as server:
        assert ask(checkout, server).code == 0
        assert checkout.longctx("baseline", "save", "main").code == 0
        assert ask(checkout, server, gated, mode="all").code == 0
        assert set(verdicts(checkout).values()) == {"pass"}
        server.script = saying("0.6")
        live = ask(checkout, server, gated, mode="all")
    assert live.code == 10, live
    assert verdicts(checkout) == {("test_summary", "all"): "pass", ("test_summary.coverage", "all"): "regression"}
    [band] = [test["bands"][0] for test in checkout.gate()["tests"] if test["test"].endswith("coverage")]
    assert band["difference"] == pytest.approx(-0.3)
    judged = checkout.gate()["tests"]
    assert (run(checkout, gated).code, checkout.gate()["tests"]) == (10, judged)


GUESSED = """
import pytest


@pytest.mark.longctx(trials=80, guessing=0.5)
def test_name(ask, draw):
    name, number = draw.choice(["Ann", "Bob"]), draw.integer(1, 10**9)
    assert name in ask(f"Who signed report {number}, Ann or Bob? It is {name}.").text
"""


def test_a_function_that_guesses_as_well_as_its_marker_says_has_nothing_to_lose(checkout: Checkout) -> None:
    """The model always says Ann, which is right in about a half."""
    checkout.functions(GUESSED)
    gated = "--ctx-baseline=main"
    checkout.options(margin=0.2)
    with SimulatedServer(saying("Ann")) as server:
        assert ask(checkout, server).code == 0
        assert checkout.longctx("baseline", "save", "main").code == 0
        live = ask(checkout, server, gated, mode="all")
    assert live.code == 12, live
    assert live.says(
        "the baseline has nothing to lose", "does not significantly exceed guessing, 0.50, by more than 20.0%"
    ), live
    assert verdicts(checkout) == {("test_name", "all"): "invalid"}
    assert run(checkout, gated).code == 12
