"""Replay of a test function beside that of a test with the same prompts: processor time of their tests, in one run.

Aim: 1,000 trials of a function that asks once take at most 1.3 times those of the test.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.ratios import pytest_of
from tests.servers import SimulatedServer

ROUNDS = 3
MOST = 1.3
PROFILE = """
models = ["simulated"]

[line_retrieval]
models = ["simulated"]
lines = [100]
orders = ["ordered"]
trials = {trials}

[test_lines]
trials = {trials}
"""
TEST = """
from longctx.protocols.line_retrieval import line_retrieval as test_line_retrieval
"""
FUNCTION = """
from pathlib import Path

import pytest

from longctx.config.prompts import PromptSet
from longctx.protocols.line_retrieval import line_retrieval
from longctx.vocabulary.protocol import cells_of
from longctx.workspace import Workspace

LineRetrieval = cells_of(line_retrieval)
WORDS = PromptSet.open(Workspace(Path(__file__).parent), "protocol").wording(LineRetrieval).templates


@pytest.mark.longctx(trials=1)
def test_lines(ask, draw):
    trial = LineRetrieval(100).build(WORDS, 0, draw.integer(0, 999))
    assert ask(trial.user, system=trial.system).integer() == int(trial.expected)
"""
CONFTEST = """
import json
import time
from pathlib import Path

import pytest

pytest_plugins = ["longctx.plugin"]
TAKEN = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    before = time.process_time()
    yield
    TAKEN[item.originalname] = time.process_time() - before


def pytest_sessionfinish(session):
    (session.config.rootpath / "taken.json").write_text(json.dumps(TAKEN))
"""


def test_a_function_beside_its_test(tmp_path: Path, small: bool) -> None:
    """Small, it takes the seconds of the run that records."""
    files = {
        "conftest.py": CONFTEST,
        "test_test.py": TEST,
        "test_function.py": FUNCTION,
        "pytest.ini": "[pytest]\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "both.toml").write_text(PROFILE.format(trials=20 if small else 1000))
    with SimulatedServer() as server:
        recorded = run(tmp_path, "--ctx-record=once", f"--ctx-base-url={server.url}")
    rounds = [recorded] if small else [run(tmp_path) for _ in range(ROUNDS)]
    test, function = (min(taken[name] for taken in rounds) for name in ("test_line_retrieval", "test_lines"))
    print(f"test {test:.2f} s, function {function:.2f} s: {function / test:.2f} times")
    assert small or function / test <= MOST


def run(project: Path, *arguments: str) -> dict[str, float]:
    """Run both tests, and return the processor seconds of each."""
    done = pytest_of("--ctx-profile=both.toml", *arguments, cwd=project, page=False)
    assert "2 passed" in done.output, done.output
    taken: dict[str, float] = json.loads((project / "taken.json").read_text())
    return taken
