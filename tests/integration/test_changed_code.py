"""Code of a test that changed since the baseline: named in the verdict, which it does not change."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.integration.conftest import Checkout, Result, copied
from tests.integration.functions import ask, code, judged, run
from tests.servers import SimulatedServer

TESTS = """
import pytest
from product.desk import is_right
from longctx import Outcome

def sent(number):
    return f"The code is {number}."


@pytest.mark.longctx(trials=60)
@pytest.mark.parametrize("part", [1, 2])
def test_desk(ask, draw, part):
    number = draw.integer(100, 999)
    assert is_right(ask(sent(number)).text, number)


@pytest.mark.longctx(trials=60)
def test_other(ask, draw):
    assert ask(f"Other: the code is {draw.integer(100, 999)}").text
"""
SAID = "the code of test_desk changed since the baseline"


@pytest.fixture(scope="module")
def gated_once(fresh: Callable[[], Checkout]) -> Checkout:
    project = fresh()
    project.functions(TESTS)
    project.file("tests_longctx/product").mkdir()
    project.file("tests_longctx/product/__init__.py").write_text("")
    project.file("tests_longctx/product/desk.py").write_text(
        "def is_right(text, number):\n    return text == str(number)\n"
    )
    with SimulatedServer(code) as server:
        result = ask(project, server)
        assert result.code == 0, result
    assert project.longctx("baseline", "save", "main").code == 0
    return project


gated = copied("gated_once")


def changed(project: Checkout, file: str, before: str, after: str) -> Result:
    path = project.file(file)
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    return run(project, "--ctx-baseline=main", "-n", "2")


def codes(project: Checkout) -> dict[str, set[str]]:
    return {
        test: {row["code"] for row in project.rows() if row["test"] == test} for test in ("test_desk", "test_other")
    }


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("tests_longctx/test_functions.py", "assert is_right(", "assert number and is_right("),
        ("tests_longctx/product/desk.py", "text == str(number)", "str(number) in text"),
    ],
)
def test_it_is_named_and_changes_no_verdict(gated: Checkout, file: str, before: str, after: str) -> None:
    was = codes(gated)
    result = run(gated, "--ctx-baseline=main")
    assert (result.code, SAID in result.out) == (0, False)
    verdict = judged(gated)
    result = changed(gated, file, before, after)
    assert (result.code, judged(gated)) == (0, verdict)
    assert SAID in result.out
    assert SAID in gated.file("reports/latest/gate.md").read_text()
    now = codes(gated)
    assert [len(each) for each in (*was.values(), *now.values())] == [1] * 4, "equal in all cells and workers"
    assert was["test_desk"] != now["test_desk"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def sent(number):", 'def sent(number):\n    """Return it."""  # a remark'),
        ('assert ask(f"Other', 'assert True and ask(f"Other'),
    ],
)
def test_docstrings_and_other_tests_are_not_named(gated: Checkout, before: str, after: str) -> None:
    result = changed(gated, "tests_longctx/test_functions.py", before, after)
    assert (result.code, SAID in result.out) == (0, False), result


def test_a_baseline_of_an_earlier_version_names_none(gated: Checkout) -> None:
    file = gated.file("fixtures/baselines/main.jsonl")
    for digest in {each for of_test in codes(gated).values() for each in of_test}:
        file.write_text(file.read_text().replace(f',"code":"{digest}"', ""))
    assert '"code"' not in file.read_text()
    result = changed(gated, "tests_longctx/product/desk.py", "text ==", "str(text) ==")
    assert (result.code, SAID in result.out) == (0, False), result
