"""Test functions that code gives a run, without pytest: what either records, the other replays with equal rows."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import longctx
from longctx.config.project import Shard
from longctx.errors import Interrupted
from longctx.protocols.line_retrieval import line_retrieval
from tests.batch_server import BatchServer
from tests.integration.conftest import NO_PAGE, Checkout, foreign_project, without_run
from tests.integration.loops import interrupted
from tests.servers import Answer, Body, SimulatedServer, find_answer, message, prompt_of, text_of

TESTS = """
import asyncio

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
async def test_sum(ask, draw):
    client = ask.async_client()

    async def one(value):
        text = f"The value is {value}. Repeat it."
        reply = await client.messages.create(model="x", max_tokens=9, messages=[{"role": "user", "content": text}])
        return int(reply.content[0].text)

    values = [draw.integer(1, 50) for _ in range(3)]
    assert await asyncio.gather(*map(one, values)) == values


@pytest.mark.longctx(trials=2)
def test_needs(ask, tmp_path):
    ask("a")
"""
NAMES = "test_code", "test_facts", "test_tools", "test_sum"
FACTS = [
    {"id": f"fact-{n}", "source": f"source-{n % 2}", "text": f"Fact {n}: 1{n} trees.", "question": "How many trees?"}
    | {"answer": 10 + n}
    for n in range(4)
]
REQUESTS = 4 * 3 + 4 * 2 + 3 * 2 + 2 * 3


def model(body: Body) -> Answer:
    """Answer everything that the tests ask, and rightly."""
    text = prompt_of(body)
    if "tools" in body and body["tools"][0]["name"] == "read_line" and body["messages"][-1]["role"] == "user":
        last = text_of(body["messages"][-1]["content"])
        if last == "Read line 2.":
            call = {"type": "tool_use", "id": "t1", "name": "read_line", "input": {"number": 2}}
            return 200, {}, message("", body, content=[call], stop_reason="tool_use")
        return 200, {}, message(last, body)
    found = re.search(r"code is (\d+)|(\d+) trees|value is (\d+)|look_up.*?(\d+)", text)
    return 200, {}, message(next(filter(None, found.groups())) if found else "none", body)


def wrong_about_trees(body: Body) -> Answer:
    return (200, {}, message("7", body)) if "trees" in prompt_of(body) else model(body)


@pytest.fixture
def server() -> Iterator[SimulatedServer]:
    with SimulatedServer(model) as server:
        yield server


@pytest.fixture(scope="module")
def template(launcher: Any, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    made = foreign_project(launcher, tmp_path_factory.mktemp("template"))
    made.file("tests_longctx").mkdir()
    made.file("tests_longctx/test_functions.py").write_text(TESTS)
    made.file("tests_longctx/facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in FACTS))
    for words in ("protocol", "brief"):
        prompts = made.file(f"fixtures/prompts/{words}/test_code")
        prompts.mkdir(parents=True)
        (prompts / "system.txt").write_text(f"Answer with the number alone, {words}.\n")
    return made


@pytest.fixture
def project(template: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    made = template.copied(tmp_path / "project")
    monkeypatch.chdir(made.folder)
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_BASE_URL", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-a-test")
    return made


def imported(project: Checkout) -> ModuleType:
    """Return the module of the tests, imported as code does it: pytest does not rewrite its assertions."""
    path = project.file("tests_longctx/test_functions.py")
    spec = importlib.util.spec_from_file_location("tests_of_a_project", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_of(project: Checkout, *names: str, **given: Any) -> longctx.Run:
    module = imported(project)
    said: list[str] = []
    given = {"model": "toy", "root": project.folder, "page": False, "say": said.append} | given
    return longctx.Run(tests=[getattr(module, name) for name in names or NAMES], **given)


def by_pytest(project: Checkout, server: SimulatedServer | None = None, *arguments: str) -> None:
    asking = [f"--ctx-base-url={server.url}", "--ctx-record=once"] if server else []
    chosen = f"-k={' or '.join(NAMES)}"
    result = project.pytest("tests_longctx", "--ctx-model=toy", chosen, *asking, *arguments, profile=None, env=NO_PAGE)
    assert result.code == 0, result.out


def sorted_rows(project: Checkout, folder: str = "reports/latest") -> list[dict[str, Any]]:
    """Return the rows without the name of their run, in one order."""
    return sorted(without_run(project.rows(folder)), key=lambda row: json.dumps(row, sort_keys=True))


def answers(project: Checkout) -> dict[str, list[str]]:
    """Return each request with its answer and its trial, by the cassette's path, without when it was answered."""
    lines = {name: [json.loads(line) for line in text.splitlines()] for name, text in project.cassettes().items()}
    for episode in (episode for of in lines.values() for episode in of):
        episode["metadata"] |= {"recorded_at": "", "latency_s": 0.0, "run": ""}
    return {name: sorted(json.dumps(episode) for episode in of) for name, of in lines.items()}


VARIED: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (
        ["--ctx-shape=documents", "--ctx-prompts=brief", "--ctx-seed=7"],
        {"shapes": ("documents",), "prompts": "brief", "seed": 7},
    ),
    (["--ctx-trials=1", "--ctx-label=step=2"], {"trials": 1, "labels": (("step", "2"),)}),
]


@pytest.mark.parametrize(("options", "given"), VARIED)
def test_what_pytest_records_a_notebook_replays_with_equal_rows(
    project: Checkout, server: SimulatedServer, options: list[str], given: dict[str, Any]
) -> None:
    by_pytest(project, server, *options)
    by_pytest(project, None, *options)
    asked = len(server.asked)
    measured = run_of(project, **given).measure()
    assert measured.problems == []
    measured.finish()
    [_, replayed, own] = project.runs()
    assert sorted_rows(project, str(own)) == sorted_rows(project, str(replayed))
    assert len(server.asked) == asked


def test_what_a_notebook_records_pytest_replays_with_equal_rows(
    project: Checkout, template: Checkout, server: SimulatedServer, tmp_path: Path
) -> None:
    server.script = wrong_about_trees

    async def cell() -> longctx.Run:
        run = run_of(project, base_url=server.url)
        done = run.ask()
        assert done.complete
        assert done.asked.answered == REQUESTS
        return run

    run = asyncio.run(cell())  # a notebook has a running event loop
    measured = run.measure()
    finished = measured.finish()
    assert {row.outcome for row in measured.rows if row.test == "test_facts"} == {"wrong"}
    assert sorted_rows(project, str(finished.record.folder)) != []
    by_pytest(project)
    live, replayed = sorted_rows(project, str(finished.record.folder)), sorted_rows(project)
    # pytest adds its values to the reason of an assertion
    assert {row["why"] for row in live if row["family"] == "test_facts"} == {"another number"}
    assert all(row["why"].startswith("another number\n") for row in replayed if row["family"] == "test_facts")
    told = {"source": None, "why": None}
    assert [row | told for row in live] == [row | told for row in replayed]
    other = template.copied(tmp_path / "other")
    by_pytest(other, server)
    assert answers(other) == answers(project)


def test_an_estimate_is_that_of_pytest(project: Checkout, server: SimulatedServer) -> None:
    said: list[str] = []
    options = {"base_url": server.url, "prices": ()}
    estimates = run_of(project, say=said.append, **options).estimate()
    assert [(each.test, each.trials, each.to_ask) for each in estimates] == [
        ("test_code", 12, 12),
        ("test_facts", 8, 8),
        ("test_tools", 3, 3),
        ("test_sum", 2, 2),
    ]
    assert server.asked == []
    result = project.pytest(
        "tests_longctx", "--ctx-model=toy", "--ctx-estimate", f"-k={' or '.join(NAMES)}", profile=None
    )
    for sentence in said:
        assert result.says(sentence), sentence


def test_an_interrupted_run_keeps_its_answers_and_asks_the_rest(project: Checkout, server: SimulatedServer) -> None:
    server.hold_after = 2
    run = run_of(project, "test_code", base_url=server.url, in_flight=2, canary=False)
    with pytest.raises(Interrupted, match="3 requests of test functions were answered and are recorded"):
        interrupted(run.ask, lambda: server.wait_for(3), server.release.set)
    assert project.episodes() == 3
    server.hold_after = None
    assert run.ask().asked.answered == 9
    assert {row.outcome for row in run.measure().rows} == {"correct"}


def test_a_gate_of_functions_and_protocols_together(project: Checkout, server: SimulatedServer) -> None:
    profile = {"line_retrieval": {"lines": [3], "orders": ["ordered"], "trials": 3}}

    def script(body: Body) -> Answer:
        answer = find_answer(prompt_of(body))
        return (200, {}, message(answer, body)) if answer != "none" else model(body)

    server.script = script
    free = {"toy": {"prices": {"input": 0, "output": 0, "dated": "2026-01-01"}}}
    given = {"base_url": server.url, "profile": profile, "trials": 60, "margin": 0.2, "model_profiles": free}
    tests = [imported(project).test_code, line_retrieval]
    first = longctx.Run(model="toy", tests=tests, page=False, say=lambda _: None, **given)
    assert first.ask(max_cost=1).complete
    measured = first.measure()
    assert {row.test for row in measured.rows} == {"test_code", "line_retrieval"}
    measured.finish()
    assert project.longctx("baseline", "save", "first").code == 0
    tests = [tests[0], "line_retrieval"]  # a protocol by its name
    again = longctx.Run(model="toy", tests=tests, page=False, say=lambda _: None, **given)
    verdict = again.measure().verdict(baseline="first")
    assert verdict.verdict == "pass"
    assert {band.band.test for band in verdict.bands} == {"test_code", "line_retrieval"}


def test_a_trial_is_shown_before_and_after_it_is_recorded(project: Checkout, server: SimulatedServer) -> None:
    """pytest runs it, so that it may have fixtures of the project."""
    path = project.file("tests_longctx/test_functions.py")
    path.write_text(path.read_text().replace('    ask("a")', '    ask(f"in {tmp_path.name[:10]}", system="Hm.")'))
    shown = project.longctx("show", "test_needs/all#1", "--model=toy")
    assert shown.code == 0, shown.err
    assert shown.out.splitlines()[0] == "# trial: test_needs.v1/all/seed-0/trial-1/repeat-0"
    assert "\n\n# system\nHm.\n\n# user\nin test_needs\n\n# outcome: none yet, since the last" in shown.out
    by_pytest(project, server)
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


def test_counts_a_judge_and_a_report_are_as_under_pytest(project: Checkout, server: SimulatedServer) -> None:
    path = project.file("tests_longctx/test_counted.py")
    path.write_text(COUNTED)
    project.file("judged.toml").write_text('models = ["toy"]\njudge = "referee"\n')
    server.script = lambda body: (200, {}, message("Y" if body["model"] == "referee" else "blue", body))
    names: dict[str, Any] = {"__file__": str(path)}
    exec(compile(path.read_text(), path, "exec"), names)
    run = longctx.Run("judged.toml", tests=[names["test_sky"]], base_url=server.url, say=lambda _: None)
    [estimate] = run.estimate()
    assert (estimate.trials, estimate.to_ask) == (4, 4)

    async def cell() -> None:
        assert run.ask().complete

    asyncio.run(cell())
    finished = run.measure().finish()
    live = sorted_rows(project, str(finished.record.folder))
    assert {row["outcome"] for row in live} == {"correct"}
    assert "by size" in project.file(f"{finished.record.folder}/index.html").read_text()
    result = project.pytest(path, profile="judged.toml")
    assert result.code == 0, result.out
    assert sorted_rows(project) == [row | {"source": row["source"] and "replayed"} for row in live]


COUNTED = """
import pytest
from longctx import Counts, Report


def probes(words):
    return {"one": "The sky is blue. " * 10, "two": "The sky is blue. " * 20}


def values(counts):
    return {"sentence": (counts["two"] - counts["one"]) / 10}


@pytest.mark.longctx(
    trials=2, counts=Counts(probes, values, needs=("sentence",)), report=Report(x="size", title="by size")
)
@pytest.mark.parametrize("size", [20, 40])
def test_sky(ctx, size):
    number = ctx.draw.integer(1, 9)
    text = "The sky is blue. " * int(size / ctx.ask.tokens()["sentence"])
    answer = ctx.ask(f"{number}: {text}What colour has it?")
    assert ctx.judge(f"{answer.text}: is this a colour? Y or N.").choice("YN") == "Y"
"""


def test_a_changed_request_is_stale_until_it_is_asked_again(project: Checkout, server: SimulatedServer) -> None:
    assert run_of(project, "test_code", base_url=server.url).ask().complete
    prompt = project.file("fixtures/prompts/protocol/test_code/system.txt")
    prompt.write_text("Answer in other words.\n")
    measured = run_of(project, "test_code").measure()
    assert {(row.outcome, row.error) for row in measured.rows} == {("not_asked", "stale")}
    assert all(problem.startswith("3 of 3 trials are stale: ") for problem in measured.problems)
    again = run_of(project, "test_code", base_url=server.url, record="new_episodes")
    assert again.ask().asked.answered == 12
    assert {row.outcome for row in again.measure().rows} == {"correct"}
    assert run_of(project, "test_code", record="all", base_url=server.url).ask().asked.answered == 12


def test_a_plan_of_tests_needs_no_run(project: Checkout, server: SimulatedServer) -> None:
    models = project.file("fixtures/models")
    models.mkdir()
    (models / "toy.toml").write_text('model = "toy"\n[prices]\ninput = 10.0\noutput = 10.0\ndated = 2026-01-01\n')
    tests = "tests_longctx/test_functions.py::test_code", "tests_longctx/test_functions.py::test_facts"
    planned = project.longctx("plan", "--model=toy", "--tests", *tests)
    assert planned.code == 0, planned.err
    row = r"^(test_code|test_facts) +(\w+) +(\d+)"
    bands = re.findall(row, planned.out, re.MULTILINE)[:3]
    assert bands == [("test_code", "short", "6"), ("test_code", "long", "6"), ("test_facts", "all", "4")]
    assert "are not known" not in planned.out
    by_pytest(project, server)
    measured = project.longctx("plan", "--model=toy", "--from", "reports/latest")
    assert {*bands[:2]} <= {*re.findall(row, measured.out, re.MULTILINE)}, measured.out
    result = project.longctx("plan", "--model=toy", "--tests", "tests_longctx/test_nothing.py")
    assert result.code == 2
    assert result.says("[tests-not-run]")


def test_the_grid_of_a_run_is_what_its_tests_name(project: Checkout, server: SimulatedServer) -> None:
    """The project's profile has other tests, which pytest would miss in a verdict."""
    project.file("fixtures/profiles").mkdir()
    profile = 'models = ["toy"]\n[line_retrieval]\nlines = [3]\norders = ["ordered"]\ntrials = 3\nmodels = ["toy"]\n'
    project.file("fixtures/profiles/mine.toml").write_text(profile)
    tests = [Kept().test_it]
    run = longctx.Run(tests=tests, base_url=server.url, trials=60, page=False, say=lambda _: None)
    assert run.plan.profile_name == "mine"
    assert run.ask().asked.answered == 120
    assert run.measure().finish().manifest.left_out == ()
    assert project.longctx("baseline", "save", "first").code == 0
    verdict = longctx.Run(tests=tests, trials=60, margin=0.2).measure().verdict(baseline="first")
    assert verdict.verdict == "pass"


class Kept:
    """A class of tests, whose marks count for its functions."""

    pytestmark = (pytest.mark.longctx(trials=3), pytest.mark.parametrize("size", [9, 99]))

    def test_it(self, ask: Any, draw: Any, size: int) -> None:
        value = draw.integer(1, size)
        assert ask(f"The value is {value}. Repeat it.").integer() == value


CELLS = """
import enum

import pytest
from pydantic import BaseModel

pytestmark = [pytest.mark.longctx(trials=1), pytest.mark.parametrize("outer", ["x", "y"])]


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Lines(BaseModel):
    lines: tuple[int, ...] = (1, 5)
    blocks: tuple[int, ...] = (1, 3)

    def cells(self):
        yield from ({"line": line, "block": block} for line in self.lines for block in self.blocks if block <= line)


def test_one(ask, outer):
    assert ask(outer)


@pytest.mark.parametrize("a, b", [(1, "with words"), pytest.param(2, "v", marks=pytest.mark.skip)])
@pytest.mark.parametrize(["size"], [[Size.SMALL], [Size.LARGE]])
@pytest.mark.parametrize("c", [0.5, True, None], ids=str)
def test_stacked(ask, a, b, size, c, outer):
    assert ask(outer)


@pytest.mark.longctx(trials=2, prompts=["protocol", "brief"])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("depth", [0.1])
def test_table(ask, depth, k, tokens, outer):
    assert ask(outer)


@pytest.mark.longctx(trials=1, axes=Lines, shapes=["text", "documents"], models=["one", "two"])
def test_model(ask, line, block, outer):
    assert ask(outer)


@pytest.mark.parametrize("nothing", [])
def test_empty(ask, nothing, outer):
    assert ask(outer)


@pytest.mark.skipif(1 > 0, reason="always")
def test_skipped(ask, outer):
    assert ask(outer)
"""
TABLES = """
models = ["toy"]

[test_table]
tokens = [30, 10]
k = [7]

[test_model]
lines = [3]
"""


def test_cells_are_those_of_pytest(project: Checkout) -> None:
    path = project.file("tests_longctx/test_cells.py")
    path.write_text(CELLS)
    project.file("cells.toml").write_text(TABLES)
    result = project.pytest(path, "--ctx-seed=3", profile="cells.toml")
    expected = sorted_rows(project)
    spec = importlib.util.spec_from_file_location("cells_of_a_project", path)
    assert spec
    assert spec.loader
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        tests = [test for name, test in vars(module).items() if name.startswith("test_")]
        run = longctx.Run("cells.toml", tests=tests, seed=3, page=False, say=lambda _: None)
        folder = run.measure().finish().record.folder
    finally:
        del sys.modules[spec.name]
    assert len(tests) == 6
    assert {row["family"] for row in expected} == {"test_one", "test_stacked", "test_table", "test_model"}, result.out
    assert sorted_rows(project, str(folder)) == expected


def test_a_batch(project: Checkout) -> None:
    with BatchServer(script=model) as server:
        run = run_of(project, "test_tools", "test_sum", base_url=server.url, batch=True, canary=False)

        async def cell() -> None:
            assert run.ask().complete

        asyncio.run(cell())
    assert {row.outcome for row in run.measure().rows} == {"correct"}
    assert len(server.created) == 2  # the second has what the tools returned


def test_an_unmarked_function_is_what_the_profile_says(project: Checkout, server: SimulatedServer) -> None:
    def test_double(ask: Any, draw: Any, size: int) -> None:
        value = draw.integer(1, size)
        assert ask(f"The value is {value}. Repeat it.").integer() == value

    profile = {"models": ["toy"], "test_double": {"trials": 3, "size": [10, 99], "min_rate": 0.5}}
    run = longctx.Run(profile=profile, tests=[test_double], base_url=server.url, page=False, say=lambda _: None)
    assert run.ask().complete
    rows = run.measure().rows
    assert {(row.cell, row.outcome) for row in rows} == {("size-10", "correct"), ("size-99", "correct")}
    assert len(rows) == 6
    with pytest.raises(longctx.UserError, match="neither a number of trials nor a file of cases"):
        longctx.Run(tests=[test_double], model="toy").estimate()


def test_shards_divide_the_cells(project: Checkout) -> None:
    shards = [run_of(project, shard=Shard(number, 2)) for number in (1, 2)]
    tests = [run.measure() for run in shards]
    cells = [{(row.test, row.cell) for row in each.rows if "." not in row.test} for each in tests]
    assert cells[0] & cells[1] == set()
    assert len(cells[0] | cells[1]) == 7
    result = project.pytest("--ctx-shard=1/2", "--ctx-model=toy", f"-k={' or '.join(NAMES)}", profile=None)
    assert {(row["family"], row["scenario"]) for row in project.rows()} == cells[0], result.out


REFUSED = {
    "its fixture tmp_path is the project's or pytest's": "def test_it(ask, tmp_path): ask('a')",
    "its fixture db is": "@pytest.mark.usefixtures('db')\ndef test_it(ask): ask('a')",
    "its parametrize is indirect": "@pytest.mark.parametrize('n', [1], indirect=True)\ndef test_it(ask, n): ask('a')",
    "the condition of its mark skipif is a text": "@pytest.mark.skipif('1')\ndef test_it(ask): ask('a')",
    "test_it is a generator": "def test_it(ask):\n    yield ask('a')",
}


@pytest.mark.parametrize("told", REFUSED)
def test_a_function_that_needs_pytest_is_named(told: str) -> None:
    names: dict[str, Any] = {"pytest": pytest}
    exec(REFUSED[told], names)
    with pytest.raises(longctx.UserError, match=re.escape(told)) as raised:
        longctx.Run(
            tests=[names["test_it"]], model="toy", profile={"models": ["toy"], "test_it": {"trials": 1}}
        ).measure()
    assert str(raised.value).startswith("test_it ")


@pytest.mark.parametrize(
    ("tests", "code"),
    [
        (["pass_key"], "unknown-protocol"),
        ([3], "no-test-function"),
        ([model, lambda ask: 1, lambda ask: 2], "two-tests-of-one-name"),
    ],
)
def test_what_is_no_test_is_named(tests: list[Any], code: str) -> None:
    with pytest.raises(longctx.UserError) as raised:
        longctx.Run(tests=tests, model="toy")
    assert raised.value.code == code


def test_a_process_without_pytest_measures_what_pytest_recorded(project: Checkout, server: SimulatedServer) -> None:
    project.file("tests_longctx/test_plain.py").write_text(PLAIN)
    project.file("plain.toml").write_text('models = ["toy"]\n\n[test_plain]\nsize = [9, 99]\n')
    asking = f"--ctx-base-url={server.url}", "--ctx-record=once"
    marked = "import pytest\ntest_plain = pytest.mark.longctx(trials=2)(test_plain)\n"
    project.file("tests_longctx/test_plain.py").write_text(PLAIN + marked)
    assert project.pytest("tests_longctx/test_plain.py", *asking, profile="plain.toml").code == 0
    project.file("tests_longctx/test_plain.py").write_text(PLAIN)
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYTEST],
        cwd=project.folder,
        env=project.launcher.env,
        capture_output=True,
        text=True,
    )
    assert result.stdout.splitlines() == ["['correct', 'correct', 'correct', 'correct']", "[]"], result.stderr


PLAIN = """
def test_plain(ask, draw, size):
    value = draw.integer(1, size)
    assert ask(f"The value is {value}. Repeat it.").integer() == value


"""
WITHOUT_PYTEST = """
import sys

sys.modules["pytest"] = None  # cannot be imported
sys.path.append("tests_longctx")
from longctx import Run
from test_plain import test_plain

profile = {"models": ["toy"], "test_plain": {"trials": 2, "size": [9, 99]}}
measured = Run(profile=profile, tests=[test_plain]).measure()
print([row.outcome for row in measured.rows])
print([name for name in sys.modules if name.startswith("_pytest.")])
"""


def test_values_and_functions_that_marks_leave_out_are_not_measured(project: Checkout) -> None:
    @pytest.mark.longctx(trials=2)
    @pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.skip), pytest.param(3, marks=[])])
    def test_some(ask: Any, size: int) -> None:
        assert ask("a")

    @pytest.mark.skipif(True, reason="it is skipped")
    @pytest.mark.longctx(trials=2)
    def test_none(ask: Any) -> None:
        assert ask("a")

    rows = longctx.Run(tests=[test_some, test_none], model="toy", say=lambda _: None).measure().rows
    assert [row.cell for row in rows] == ["size-1"] * 2 + ["size-3"] * 2


def test_errors_of_a_test_are_sentences_and_lose_nothing(project: Checkout, server: SimulatedServer) -> None:
    @pytest.mark.longctx(trials=3)
    def test_faulty(ask: Any, draw: Any) -> None:
        value = draw.in_turn([1, 2, 3])
        assert {1: 1, 2: 2}[value] == ask(f"The value is {value}. Repeat it.").integer()

    @pytest.mark.longctx(trials=1)
    def test_case(ask: Any, case: Any) -> None:
        assert ask(case.text)

    @pytest.mark.longctx(trials=1)
    def test_elsewhere(ask: Any) -> None:
        assert ask(urllib.request.urlopen("http://api.example.invalid").read())

    said: list[str] = []
    tests = [test_faulty, test_case, test_elsewhere]
    run = longctx.Run(tests=tests, model="toy", base_url=server.url, page=False, say=said.append)
    assert not run.ask().complete
    measured = run.measure()
    outcomes = [row.outcome for row in measured.rows]
    assert outcomes == ["correct", "correct", "infra_error", "infra_error", "infra_error"]
    assert [problem.partition(": ")[2] for problem in measured.problems] == [
        "1 trial ended with an error of the test: KeyError: 3",
        "1 trial ended with an error of the test: test_case uses the fixture case, but its marker names no file: write "
        "cases='FILE.jsonl'. [no-case]",
        next(problem for problem in measured.problems if "api.example.invalid" in problem).partition(": ")[2],
    ]
    assert said[-3:] == measured.problems


def test_a_gate_that_stops_early_replays_to_its_verdict(project: Checkout, server: SimulatedServer) -> None:
    """A replay leaves out what the live run left out, in a notebook and by pytest."""

    def run(**given: Any) -> longctx.Run:
        return run_of(project, "test_code", trials=60, margin=0.2, **given)

    assert run(base_url=server.url).ask().complete
    run().measure().finish()
    assert project.longctx("baseline", "save", "first").code == 0
    shutil.rmtree(project.file("cassettes"))
    live = run(base_url=server.url, baseline="first")
    done = live.ask()
    assert done.complete
    assert done.asked.answered < 240
    first, again = live.measure().finish(), run(baseline="first").measure().finish()
    assert first.verdict == again.verdict == "pass"
    left_out = [row.error == "early stop" for row in again.record.rows]
    assert sum(left_out) == 240 - done.asked.answered
    replayed = sorted_rows(project, str(again.record.folder))
    assert [row | {"source": None} for row in sorted_rows(project, str(first.record.folder))] == [
        row | {"source": None} for row in replayed
    ]
    options = "--ctx-model=toy", "--ctx-trials=60", "--ctx-margin=0.2", "--ctx-baseline=first"
    result = project.pytest("tests_longctx/test_functions.py::test_code", *options, profile=None)
    assert result.code == 0, result.out
    assert sorted_rows(project) == replayed


def test_strategies(project: Checkout, server: SimulatedServer) -> None:
    session = [{"role": "user", "content": f"The code of house {n} is {100 + n}."} for n in range(9)]
    turns = [turn for user in session for turn in (user, {"role": "assistant", "content": "Noted."})]
    project.file("session.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    project.file("tests_longctx/test_session.py").write_text(SESSION)
    server.script = lambda body: (200, {}, message("108", body))
    path = project.file("tests_longctx/test_session.py")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), path, "exec"), names)
    given = {"strategies": ("none", "truncate-40"), "base_url": server.url, "page": False, "say": lambda _: None}
    run = longctx.Run(tests=[names["test_session"]], model="toy", **given)
    assert run.ask().complete
    finished = run.measure().finish()
    live = sorted_rows(project, str(finished.record.folder))
    assert {row["labels"]["strategy"] for row in live} == {"none", "truncate-40"}
    assert {row["retained"] == 1 for row in live} == {True, False}
    result = project.pytest(path, "--ctx-model=toy", "--ctx-strategy=none", "--ctx-strategy=truncate-40", profile=None)
    assert result.code == 0, result.out
    assert sorted_rows(project) == [row | {"source": "replayed"} for row in live]


SESSION = """
import longctx
import pytest


@pytest.mark.longctx(trials=2)
def test_session(ask, draw):
    draw.integer(1, 9)
    session = longctx.transcript("session.jsonl")
    assert ask(session, "What is the code of house 8?").integer() == 108
"""
