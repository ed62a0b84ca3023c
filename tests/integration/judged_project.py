"""A small project whose gate has a base branch: its tests judge by a helper, by subtests and by cases.

A test changes files of it, as a branch would, and looks at the verdict. On the base branch `main` all answers are
right. `WORSE` and `BETTER` are two changes of the product's prompt: half of the answers to the first are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.given import json_lines
from tests.integration.conftest import Checkout, Result
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

PRODUCT = '''
"""The product: what it sends, and how it reads a reply."""

QUESTION = "What is the code?"


def prompt(code):
    return f"The code is {code}. {QUESTION}"


def read(answer):
    return answer.text.strip()
'''
WORSE, BETTER = "Which code, roughly?", "Which code is it?"
HELPER = """
def must_be(answer, code):
    assert answer.integer() == code
"""
TESTS_CONFTEST = """
import pytest


@pytest.fixture
def code(draw):
    return draw.integer(10_000, 99_999)
"""
TESTS = """
import json
from pathlib import Path

import product
import pytest
from helper import must_be


@pytest.mark.longctx(trials=30)
def test_code(ask, code):
    must_be(ask(product.prompt(code)), code)


@pytest.mark.longctx(trials=30)
@pytest.mark.parametrize("ending", ["", "Thanks!"], ids=["plain", "polite"])
def test_read(ask, code, subtests, ending):
    text = product.read(ask(product.prompt(code) + ending))
    with subtests.test("digits"):
        assert text.isdigit()
    with subtests.test("same"):
        assert text == str(code)


@pytest.mark.longctx(cases="cases.jsonl")
def test_case(ctx):
    answer = ctx.ask(product.prompt(ctx.case.code))
    assert answer.integer() == ctx.case.code


TOLERANCE = json.loads(Path(__file__).with_name("tolerance.json").read_text())


@pytest.mark.longctx(trials=30)
def test_near(ask, code):
    assert abs(ask(product.prompt(code)).integer() - code) <= TOLERANCE
"""
NEW_TEST = """
import product
import pytest


@pytest.mark.longctx(trials=10)
def test_new(ask, code):
    assert str(code) in ask(product.prompt(code)).text
"""
CASES = [{"id": f"c{number}", "code": 20_000 + number} for number in range(30)]
BASE = {"LONGCTX_BASE": "main"}
GATE = "--ctx-baseline=main"
T = "tests_longctx"


def answered(body: Body) -> Answer:
    code = int(re.findall(r"\d+", prompt_of(body))[0])
    wrong = WORSE in prompt_of(body) and code % 2
    return 200, {}, message(str(code + 1 if wrong else code), body)


def made(project: Checkout) -> Checkout:
    """Return the project with its recordings, its baseline and its base branch."""
    project.profile('models = ["toy"]\nlooks = "once"\nmargin = 0.15\n', name="tiny.toml")
    project.file(T).mkdir()
    project.file("product.py").write_text(PRODUCT)
    project.file(f"{T}/helper.py").write_text(HELPER)
    project.file(f"{T}/conftest.py").write_text(TESTS_CONFTEST)
    project.file(f"{T}/test_codes.py").write_text(TESTS)
    project.file(f"{T}/tolerance.json").write_text("0")
    json_lines(project.file(f"{T}/cases.jsonl"), *CASES)
    with SimulatedServer(answered) as server:
        assert send(project, server).code == 0
        assert project.longctx("baseline", "save", "main").code == 0
        project.git("init", "--quiet", "--initial-branch=main")
        project.file(".gitignore").write_text("reports/\n__pycache__/\nstdout\nstderr\n")
        project.git("add", ".")
        project.git("commit", "--quiet", "--message", "All")
        for question in (WORSE, BETTER):
            change_prompt(project, question)
            send(project, server, mode="new_episodes")
    project.git("checkout", "--quiet", "product.py")
    return project


def send(project: Checkout, server: SimulatedServer, *arguments: str, mode: str = "once", **options: Any) -> Result:
    return project.record(server, T, *arguments, mode=mode, **options)


def change_prompt(project: Checkout, question: str) -> None:
    project.file("product.py").write_text(PRODUCT.replace("What is the code?", question))


def edit(project: Checkout, name: str, *changes: tuple[str, str]) -> None:
    """Replace texts of a file, each of which it must have."""
    text = project.file(name).read_text()
    for old, new in changes:
        assert old in text, f"{name} lacks {old!r}"
        text = text.replace(old, new)
    project.file(name).write_text(text)


def add(project: Checkout, name: str, text: str) -> None:
    """Append to a file, which is made if it is not there."""
    path = project.file(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + text)


def gate(project: Checkout, *arguments: str, change: Callable[[Checkout], object] = lambda _: None) -> Result:
    """Judge a change of the project."""
    change(project)
    return project.pytest(T, GATE, *arguments, env=BASE)
