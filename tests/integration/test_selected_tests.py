"""The tests that a person selects for a command, of which pytest runs a trial or plans them all."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.given import json_lines, served
from tests.integration.conftest import NO_PAGE, Checkout, copied, foreign_project
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of, text_of

TESTS = """
import pytest

TOOLS = [
    {
        "name": "read_line",
        "description": "Return a line.",
        "input_schema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
    }
]


@pytest.mark.longctx(trials=3, bands={"short": 100, "long": 900})
@pytest.mark.parametrize(("place", "word"), [("start", "refund"), pytest.param("end", "parcel", id="late")])
@pytest.mark.parametrize("tokens", [60, 300])
def test_code(ctx, tokens, place, word):
    code = ctx.draw.integer(10_000, 99_999)
    text = ctx.draw.filler(tokens).insert(f"The {word} code is {code}.", depth=float(place == "end"))
    answer = ctx.ask(f"{text}\\n\\nWhat is the {word} code?", system=ctx.prompt("system"))
    assert answer.integer() == code, "another code"


@pytest.mark.longctx(cases="facts.jsonl", cluster="source", repeats=2, guessing=0.1)
def test_facts(ask, check, case):
    answer = ask([case.text, "Nothing else is known."], case.question)
    check("short", len(answer.text) < 9)
    check("credit", 0.5)
    assert answer.integer() == case["answer"], "another number"


@pytest.mark.longctx(3)
def test_tools(ask, draw, check, optional=None):
    lines = [str(value) for value in draw.sample(range(1_000), 5)]
    history = [{"role": "user", "content": "Read line 2."}]
    for _ in range(3):
        answer = ask(messages=history, tools=TOOLS)
        if not answer.tool_uses:
            break
        history += [answer.turn, answer.tool_results({"read_line": lambda number: lines[number]})]
    check("read", answer.integer() == int(lines[2]))


@pytest.mark.longctx(trials=2)
def test_needs(ask, tmp_path):
    ask(f"in {tmp_path.name[:10]}", system="Hm.")
"""
NAMES = "test_code", "test_facts", "test_tools"
FACTS = [
    {"id": f"fact-{n}", "source": f"source-{n % 2}", "text": f"Fact {n}: 1{n} trees.", "question": "How many trees?"}
    | {"answer": 10 + n}
    for n in range(4)
]


def model(body: Body) -> Answer:
    """Answer everything that the tests ask, and rightly."""
    text = prompt_of(body)
    if "tools" in body and body["tools"][0]["name"] == "read_line" and body["messages"][-1]["role"] == "user":
        last = text_of(body["messages"][-1]["content"])
        if last == "Read line 2.":
            call = {"type": "tool_use", "id": "t1", "name": "read_line", "input": {"number": 2}}
            return 200, {}, message("", body, content=[call], stop_reason="tool_use")
        return 200, {}, message(last, body)
    found = re.search(r"code is (\d+)|(\d+) trees", text)
    return 200, {}, message(next(filter(None, found.groups())) if found else "none", body)


server = served(model)


@pytest.fixture(scope="module")
def template(launcher: Any, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    made = foreign_project(launcher, tmp_path_factory.mktemp("template"))
    made.file("tests_longctx").mkdir()
    made.functions(TESTS)
    json_lines(made.file("tests_longctx/facts.jsonl"), *FACTS)
    prompts = made.file("fixtures/prompts/protocol/test_code")
    prompts.mkdir(parents=True)
    (prompts / "system.txt").write_text("Answer with the number alone.\n")
    return made


project = copied("template")


def record(project: Checkout, server: SimulatedServer) -> None:
    asking = "--ctx-model=toy", f"--ctx-base-url={server.url}", "--ctx-record=once", f"-k={' or '.join(NAMES)}"
    result = project.pytest("tests_longctx", *asking, profile=None, env=NO_PAGE)
    assert result.code == 0, result.out


def test_a_trial_is_shown_before_and_after_it_is_recorded(project: Checkout, server: SimulatedServer) -> None:
    """pytest runs it, so that it may have fixtures of the project."""
    shown = project.longctx("show", "test_needs/all#1", "--model=toy")
    assert shown.code == 0, shown.err
    assert shown.out.splitlines()[0] == "# trial: test_needs.v1/all/seed-0/trial-1/repeat-0"
    assert "\n\n# system\nHm.\n\n# user\nin test_needs\n\n# outcome: none yet, since the last" in shown.out
    record(project, server)
    tools = project.longctx("show", "test_tools/all#2", "--model=toy")
    parts = re.findall("^# (.*)", tools.out, re.MULTILINE)
    assert [part for part in parts if not part.startswith(("sha256", "max_tokens"))] == [
        *("trial: test_tools.v1/all/seed-0/trial-2/repeat-0", "model: toy"),
        *("request 1", "user", "reply", "request 2", "assistant", "user", "reply", "outcome: correct"),
    ]
    fact = project.longctx("show", "test_facts/all#fact-3", "--model=toy", "--shape=documents")
    assert fact.says("test_facts.v1/all/fact-3/seed-0/trial-0/repeat-0", "[document", "Fact 3: 13 trees.")
    assert project.longctx("show", "reports/latest", "test_facts/all#fact-3").says("# outcome: correct")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("test_nothing/all", "no-such-test"),
        ("test_code/tokens-61-place-end-word-parcel", "no-such-cell"),
        ("test_facts/all#fact-9", "unknown-trial"),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(project: Checkout, name: str, code: str) -> None:
    result = project.longctx("show", name)
    assert result.code == 2
    assert result.says(f"[{code}]")


def test_a_plan_of_tests_needs_no_run(project: Checkout, server: SimulatedServer) -> None:
    models = project.file("fixtures/models")
    models.mkdir()
    (models / "toy.toml").write_text('model = "toy"\n[prices]\ninput = 10.0\noutput = 10.0\ndated = 2026-01-01\n')
    tests = "tests_longctx/test_functions.py::test_code", "tests_longctx/test_functions.py::test_facts"
    planned = project.longctx("plan", "-v", "--model=toy", "--tests", *tests)
    assert planned.code == 0, planned.err
    row = r"^(test_code|test_facts) +(\w+) +(\d+)"
    bands = re.findall(row, planned.out, re.MULTILINE)[:3]
    assert bands == [("test_code", "short", "6"), ("test_code", "long", "6"), ("test_facts", "all", "4")]
    assert "are not known" not in planned.out
    record(project, server)
    measured = project.longctx("plan", "-v", "--model=toy", "--from", "reports/latest")
    assert {*bands[:2]} <= {*re.findall(row, measured.out, re.MULTILINE)}, measured.out
    result = project.longctx("plan", "-v", "--model=toy", "--tests", "tests_longctx/test_nothing.py")
    assert result.code == 2
    assert result.says("[tests-not-run]")
