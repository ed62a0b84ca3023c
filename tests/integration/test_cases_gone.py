"""Cases that a change removes, skips or adds: none vanishes from the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.given import json_lines
from tests.integration.conftest import Checkout, copied, needs_git
from tests.integration.functions import ask, code, run
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TEST = """
import pytest


@pytest.mark.longctx(cases="cases.jsonl")
def test_code(ctx):
    answer = ctx.ask(ctx.case.q)
    assert answer.integer() == ctx.case.a
"""
ASSERT = "    assert answer.integer() == ctx.case.a\n"
CASES = [{"id": f"q{number}", "q": f"The code is {10000 + number}.", "a": 10000 + number} for number in range(120)]


def worse(body: Body) -> Answer:
    """Answer wrongly to the first 52 cases."""
    found = re.search(r"code is (\d+)", prompt_of(body))
    return 200, {}, message("7" if not found or int(found[1]) < 10052 else found[1], body)


@pytest.fixture(scope="module")
def original(fresh: Callable[[], Checkout]) -> Checkout:
    """Return a project with a baseline of right answers, whose cassettes then have 52 wrong ones."""
    made = fresh()
    made.functions(TEST)
    json_lines(made.file("tests_longctx/cases.jsonl"), *CASES)
    with SimulatedServer(code) as server:
        assert ask(made, server).code == 0
    assert made.longctx("baseline", "save", "main").code == 0
    with SimulatedServer(worse) as server:
        ask(made, server, mode="all")
    made.git("init", "--quiet", "--initial-branch=main")
    made.git("add", ".")
    made.git("commit", "--quiet", "--message", "All")
    return made


project = copied("original")


@pytest.mark.parametrize(
    "instead",
    [
        pytest.param(f"    if answer.integer() != ctx.case.a:\n        pytest.skip('later')\n{ASSERT}", id="skip"),
        pytest.param(None, id="removed"),
    ],
)
def test_wrong_cases_that_vanish_do_not_pass(project: Checkout, instead: str | None) -> None:
    assert run(project, "--ctx-baseline=main").code == 10
    if instead is None:
        json_lines(project.file("tests_longctx/cases.jsonl"), *CASES[52:])
    else:
        project.functions(TEST.replace(ASSERT, instead))
    result = run(project, "--ctx-baseline=main", "-n2")
    assert result.code == 12
    assert result.says(
        "test_code: 52 of 120 trials of the baseline are not in this run (q0, q1, q10 …): they were skipped, "
        "deselected or removed.",
        "Changed: cases removed: 52 of test_code",
    )


@needs_git
def test_code_that_judges_is_named_if_it_differs_from_the_base(project: Checkout) -> None:
    base = {"LONGCTX_BASE": "main"}
    same = run(project, "--ctx-baseline=main", env=base)
    assert same.code == 10
    assert not same.says("code that judges")
    project.functions(TEST.replace(ASSERT, "    import helper\n    helper.judge(answer, ctx.case)\n"))
    project.file("tests_longctx/helper.py").write_text("def judge(answer, case):\n    assert answer\n")
    project.file("product.py").write_text("PROMPT = 'new'\n")
    result = run(project, "--ctx-baseline=main", "-n2", env=base)
    files = "tests_longctx/helper.py, tests_longctx/test_functions.py"
    assert result.says(f"code that judges differs from main: {files}"), result.out
    assert not result.says("product.py")


@needs_git
def test_cases_are_retired_on_the_base_branch(project: Checkout) -> None:
    """Whoever removes cases names them, with a reason, where a change cannot."""
    json_lines(project.file("tests_longctx/cases.jsonl"), *CASES[52:])
    entry = "\n".join(f'"test_code#q{number}" = "no longer sold"' for number in range(52))
    project.file("pyproject.toml").write_text(f"[tool.longctx.retired]\n{entry}\n")
    base = {"LONGCTX_BASE": "main"}
    result = run(project, "--ctx-baseline=main", env=base)
    assert result.code == 12
    assert result.says("52 of them are retired on this branch only: merge that entry first")
    project.git("add", "pyproject.toml")
    project.git("commit", "--quiet", "--message", "Retire cases")
    result = run(project, "--ctx-baseline=main", env=base)
    assert result.code == 0
    assert result.says("52 retired cases are not compared: test_code/all#q0 (no longer sold)"), result.out


def test_a_case_is_not_retired_without_a_reason(project: Checkout) -> None:
    project.file("pyproject.toml").write_text('[tool.longctx.retired]\n"test_code#q0" = " "\n')
    assert run(project, "--ctx-baseline=main").says("[bad-project-settings]")


def test_new_cases_are_named_on_the_screen_and_in_the_comment(project: Checkout) -> None:
    added = [{"id": f"n{number}", "q": f"The code is {20000 + number}.", "a": 1} for number in range(20)]
    json_lines(project.file("tests_longctx/cases.jsonl"), *CASES, *added)
    with SimulatedServer(worse) as server:
        ask(project, server)
    result = run(project, "--ctx-baseline=main")
    says = "test_code: 20 new cases are not compared (0 of 20 right): save a new baseline. New: n0 wrong, n1 wrong,"
    assert result.says(says, "Changed: cases added: 20 of test_code"), result.out
    assert says in project.file("reports/latest/gate.md").read_text()
