"""Failures that a test does not raise: pytest's subtests are checks, and what another plugin fails is no pass."""

from __future__ import annotations

from collections import Counter

from tests.given import served
from tests.integration.conftest import Checkout
from tests.integration.functions import ask, codes, run, verdicts
from tests.servers import SimulatedServer

TESTS = """
import pytest


@pytest.mark.longctx(trials=80)
def test_fields(ask, draw, subtests):
    code = draw.integer(10_000, 99_999)
    answer = ask(f"The refund code is {code}.")
    with subtests.test(msg="code"):
        assert answer.integer() == code
    for word in ("please", "code"):
        with subtests.test(msg="polite"):
            assert WORDS[word] in answer.text
    with subtests.test(number=1):
        second = ask(f"The second code is {code + 1}.").integer()
    with subtests.test("skipped"):
        pytest.skip("not now")
    assert second == code + 1
"""
WORDS = '\nWORDS = {"please": "please", "code": ""}\n'
SOFT = """
import pytest


FAILED = []


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_makereport(call):
    report = yield
    if call.when == "call" and FAILED:
        report.outcome, report.longrepr = "failed", f"FAILURE: {FAILED[0]}"
    return report


@pytest.fixture
def soft_equal():
    return lambda left, right: left == right or FAILED.append(f"{left} != {right}")
"""
SOFTLY = """
import pytest


@pytest.mark.longctx(trials=80)
def test_fields(ask, draw, soft_equal):
    answer = ask(f"The refund code is {draw.integer(10_000, 99_999)}.")
    soft_equal(answer.text.endswith("please"), RIGHT)
"""


server = served(codes)


def write(project: Checkout, tests: str) -> None:
    project.functions(tests)


def recorded(project: Checkout, server: SimulatedServer) -> None:
    result = ask(project, server)
    assert result.code == 0, result.out
    saved = project.longctx("baseline", "save", "main")
    assert saved.code == 0, saved.err


def test_a_failing_subtest_makes_its_trial_wrong(checkout: Checkout, server: SimulatedServer) -> None:
    write(checkout, TESTS + WORDS)
    recorded(checkout, server)
    assert len(server.asked) == 160
    assert Counter((row["test"], row["outcome"]) for row in checkout.rows()) == {
        (f"test_fields{check}", "correct"): 80 for check in ("", ".code", ".polite", ".number-1")
    }
    write(checkout, TESTS + WORDS.replace('""', '"thanks"'))
    result = run(checkout, "--ctx-baseline=main", "-n2")
    assert result.code == 10
    assert result.says("GATE: REGRESSION in 2 of 4 bands (exit 10) · 2 failed, 1 passed"), result.out
    assert {name: verdict for (name, _), verdict in verdicts(checkout).items()} == {
        "test_fields": "regression",
        "test_fields.code": "pass",
        "test_fields.number-1": "pass",
        "test_fields.polite": "regression",
    }
    assert {row["why"] for row in checkout.rows() if row["test"] == "test_fields"}.pop().startswith("failed: polite; ")


def test_an_error_in_a_subtest_is_that_of_its_test(checkout: Checkout, server: SimulatedServer) -> None:
    write(checkout, TESTS + WORDS.replace('"code": ""', '"other": ""'))
    result = ask(checkout, server)
    assert (result.code, "KeyError: 'code'" in result.out) == (1, True)
    assert "correct" not in {row["outcome"] for row in checkout.rows()}


def test_a_gate_does_not_pass_if_another_plugin_reports_a_failure(checkout: Checkout, server: SimulatedServer) -> None:
    with checkout.file("conftest.py").open("a") as file:
        file.write(SOFT)
    write(checkout, SOFTLY + "\n\nRIGHT = True\n")
    recorded(checkout, server)
    write(checkout, SOFTLY + "\n\nRIGHT = False\n")
    for workers in ("-n0", "-n1"):
        result = run(checkout, "--ctx-baseline=main", workers)
        assert result.code == 12, result.out
        assert result.says("FAILURE: True != False", "GATE: INVALID", "3 failed"), result.out
        assert result.says("test_fields[toy-protocol] passed, but another plugin reports a failure.")
        assert {(row["outcome"], row["error"]) for row in checkout.rows()} == {("infra_error", "failed_outside")}
