"""What users write passes `mypy --strict`: test functions and a protocol with the public types of their fixtures."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.here import HERE

TESTS = """
from typing import assert_type

import pytest

import longctx
from longctx import Answer, Case, Check, Ctx


@pytest.mark.longctx(trials=20)
@pytest.mark.parametrize("tokens", [2_000, 16_000])
def test_refund_code(ask: longctx.Ask, draw: longctx.Draw, tokens: int) -> None:
    code = draw.integer(10_000, 99_999)
    text = draw.filler(tokens).insert(f"The refund code is {code}.", depth=draw.uniform())
    answer = ask(text, "What is the refund code?")
    assert_type(answer, Answer)
    assert answer.integer() == code


@pytest.mark.longctx(cases="cases.jsonl")
def test_fee(ask: longctx.Ask, case: Case, check: Check) -> None:
    check("answer", case.answer in ask(case.text, case.question).text)
    ask.probe(longctx.transcript("session.jsonl"), case)
    ask.chunks(longctx.chunks("handbook").retrieve(case.question, 2), case)


@pytest.mark.longctx(trials=20)
def test_sum(ctx: Ctx) -> longctx.Outcome:
    numbers = [ctx.draw.integer(1, 99) for _ in range(5)]
    said = ctx.ask(f"{ctx.prompt('add')} {numbers}").integer()
    ctx.check("polite", ctx.judge("Is it polite?").choice("YN") == "Y")
    return longctx.Outcome("correct" if said == sum(numbers) else "wrong", str(said))
"""
MISTAKES = """
import longctx


def mistakes(ask: longctx.Ask, draw: longctx.Draw, once: longctx.ProtocolAsk) -> None:
    ask.sned("Is the type known?")
    draw.integer("1", 2)
    once("A protocol says what it expects.")
    longctx.RateView
"""
KINDS = "attr-defined", "arg-type", "call-arg", "attr-defined"
"""The kinds of these mistakes. Where a type is Any, mypy finds none."""


def checked(folder: Path, *files: str) -> str:
    """Return what mypy says of files that use longctx as an installed package, without this repository's settings."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", *files]
    env = {**os.environ, "MYPYPATH": str(HERE.root)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_a_project_with_the_types_of_its_fixtures_is_typed(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "mistakes.py").write_text(MISTAKES, encoding="utf-8")
    for file in ("tests/integration/foreign/several_keys.py", "tests_longctx/test_functions.py"):
        shutil.copy(HERE.root / file, tmp_path)
    (tmp_path / "desk.pyi").write_text("def answer_from(client: object, text: str, question: str) -> str: ...\n")
    files = "test_mine.py", "several_keys.py", "test_functions.py", "mistakes.py"
    said = checked(tmp_path, *files).splitlines()
    errors = [line for line in said if ": error: " in line]
    assert {line.partition(":")[0] for line in errors} == {"mistakes.py"}, said
    assert [line.rpartition("  ")[2] for line in errors] == [f"[{kind}]" for kind in KINDS]
