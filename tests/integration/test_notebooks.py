"""docs/notebooks.md: its cells, one after the other, in a running event loop as a notebook has one."""

from __future__ import annotations

import ast
import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import longctx
from longctx.cli import main
from longctx.errors import Interrupted
from tests.integration.loops import interrupted
from tests.integration.pages import blocks, missing
from tests.refusals import refused
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

GRID = {"line_retrieval": {"lines": [3], "orders": ["ordered"], "trials": 8}}


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: SimulatedServer) -> SimulatedServer:
    """Return the server that the environment names, and make an empty project the working directory."""
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-a-test")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    return server


@pytest.mark.parametrize("profile", [{"models": ["toy"]}, {"test_mine": {"models": ["toy"]}}])
@pytest.mark.parametrize("method", ["estimate", "ask", "measure"])
def test_a_profile_of_test_functions_is_refused_with_the_command_that_runs_it(
    notebook: SimulatedServer, profile: dict[str, Any], method: str
) -> None:
    """Without rows and without a word, nobody would know that nothing was measured."""
    with refused("functions-need-pytest", "pytest"):
        getattr(longctx.Run(profile=profile), method)()
    assert notebook.received == []


def forgetful(body: Body) -> Answer:
    """Answer in any words that ask for a line; wrongly for some of the lines of long files."""
    prompt = prompt_of(body)
    [asked] = re.findall(r"(?:Go to|look up) line (\d+)", prompt)
    [content] = re.findall(rf"^line {asked}: .*<(\d+)>", prompt, re.MULTILINE)
    forgotten = prompt.count("\n") > 150 and int(asked) % 10 == 0
    return 200, {}, message("12" if forgotten else content, body)


def run_cell(cell: str, names: dict[str, Any]) -> None:
    """Run a cell, and print what its last line is worth, as a notebook does."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is not None and (value := eval(compile(ast.Expression(last.value), "cell", "eval"), names)) is not None:
        sys.stdout.write(f"{value!r}\n")


def test_the_page(notebook: SimulatedServer, capsys: pytest.CaptureFixture[str]) -> None:
    notebook.script = forgetful
    names: dict[str, Any] = {}

    async def cells() -> None:
        output = ""
        for kind, text in blocks("notebooks.md"):
            if kind == "python":
                run_cell(text, names)
            elif kind == "sh":
                assert main(text.split()[1:]) == 0
            output = "".join(capsys.readouterr()) if kind != "text" else output
            assert kind != "text" or not missing(text, output), output

    asyncio.run(cells())


def test_entries_in_code_are_a_profile_that_the_report_keeps(notebook: SimulatedServer) -> None:
    run = longctx.Run(profile=GRID, model="toy", say=lambda _: None, page=False)
    run.ask()
    measured = run.measure()
    assert re.fullmatch(r"line_retrieval, toy, prompts protocol: 1\.00 \[.*\] n=\d+", repr(measured)), "a cell shows it"
    finished = measured.finish()
    assert len(repr(finished)) < 200
    assert finished.manifest.profile == "line_retrieval"
    [option] = [option for option in finished.manifest.options if option.startswith("--ctx-profile=")]
    again = longctx.Run(profile=option.partition("=")[2], model="toy")
    assert again.plan.profile.model_dump() == run.plan.profile.model_dump()
    assert {row.outcome for row in again.measure().rows} == {"correct"}
    assert again.plan.profile_file[1] == run.plan.profile_file[1]


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"line_retrieval": {"lines": [3], "trails": 8}}, "'line_retrieval' has entries that cannot be used"),
        ({"about": "nothing"}, "has no table of a protocol"),
        ({"line_retrieval": {"lines": None}}, "cannot be written as TOML"),
        ({"line_retrieval": {"lines": {3}}}, "cannot be written as TOML"),
    ],
)
def test_entries_that_are_no_profile_are_a_sentence(
    entries: dict[str, Any], says: str, notebook: SimulatedServer
) -> None:
    with pytest.raises(longctx.UserError, match=says):
        longctx.Run(profile=entries, model="toy").estimate()


def test_an_interrupt_of_the_cell_keeps_what_is_in_flight(notebook: SimulatedServer, tmp_path: Path) -> None:
    """The event loop is not asyncio.run's, which would take the signal for itself; a notebook's does not either."""
    notebook.hold_after = 2
    said: list[str] = []
    run = longctx.Run(profile=GRID, model="toy", in_flight=2, canary=False, say=said.append)

    def say(sentence: str) -> None:
        said.append(sentence)
        if sentence.startswith("Stopping"):
            notebook.release.set()

    run.say = say
    with pytest.raises(Interrupted, match="4 of 8 trials were answered"):
        interrupted(run.ask, lambda: notebook.wait_for(4), lambda: None)
    assert any(sentence.startswith("Stopping: no more requests are sent.") for sentence in said)
    assert sum(path.read_text().count("\n") for path in tmp_path.glob("cassettes/*/*/*.jsonl")) == 4
