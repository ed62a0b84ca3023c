"""Plugins that run a test again, and plugins with fixtures of the same names."""

from __future__ import annotations

import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tests.integration.conftest import NOT_PASSED_ON, ROOT, Checkout
from tests.servers import SimulatedServer, saying

AGAIN = '''
"""Runs a failed test once more, and reports the first run as pytest-rerunfailures does."""
import pytest
from _pytest.runner import runtestprotocol


def pytest_runtest_protocol(item, nextitem):
    for last in (False, True):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        again = not last and any(report.failed for report in reports)
        for report in reports:
            if again and report.failed:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if not again:
            return True


def pytest_report_teststatus(report):
    return ("rerun", "R", "RERUN") if report.outcome == "rerun" else None
'''
FLAKY = """
import os

import pytest

RUNS = []

@pytest.mark.longctx(trials=2)
def test_flaky(ask, draw):
    RUNS.append(ask(f"say {draw.uuid()}").text)
    if "FLAKY" in os.environ and len(RUNS) == 2:
        raise OSError("no room")

@pytest.mark.longctx(trials=8, min_rate=0.9)
def test_low(ask, draw):
    assert ask(f"say {draw.uuid()}").text == "right"
"""
REPEAT = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--count", default=1, type=int)

@pytest.fixture
def __pytest_repeat_step_number(request):
    return getattr(request, "param", 1)

def pytest_generate_tests(metafunc):
    marked = metafunc.definition.get_closest_marker("repeat")
    if (count := marked.args[0] if marked else metafunc.config.option.count) > 1:
        metafunc.fixturenames.append("__pytest_repeat_step_number")
        metafunc.parametrize("__pytest_repeat_step_number", range(count), indirect=True)
"""
"""What pytest-repeat does."""
CHECK = """
import pytest

@pytest.fixture(name="check")
def check_fixture():
    return "of another plugin"
"""
CHECKING = """
import pytest

@pytest.mark.longctx(trials=1)
def test_marked(ctx):
    ctx.check("short", len(ctx.ask("say a").text) < 9)

def test_other(check):
    assert check == "of another plugin"
"""


@pytest.mark.parametrize("arguments", [["--count=2"], ["--count=2", "-n2"], []])
def test_pytest_repeat_is_refused_for_marked_tests(
    project: Checkout, server: SimulatedServer, arguments: list[str]
) -> None:
    """It would send each trial again, into files of its own, and replay none of them."""
    project.file("repeating.py").write_text(REPEAT)
    mark = "" if arguments else "@pytest.mark.repeat(3)\n"
    project.file("test_it.py").write_text(
        f"import pytest\n\n{mark}@pytest.mark.longctx(trials=2)\ndef test_it(ask):\n    assert ask('say').text\n"
    )
    env = {"PYTHONPATH": _path(project)}
    live = ["--ctx-record=once", f"--ctx-base-url={server.url}"]
    for options in ([], live):
        result = project.pytest("-prepeating", "-W", "ignore", *arguments, *options, env=env)
        assert result.code in (1, 4), result.out
        assert result.says("[repeated-by-plugin]")
    assert server.received == []
    assert not list(project.file("cassettes").rglob("*.jsonl"))
    project.file("test_it.py").write_text("def test_other(): pass\n")
    assert project.pytest("-prepeating", "--count=2", env=env).says("2 passed")


def test_python_without_assertions_is_refused_for_marked_tests(project: Checkout, server: SimulatedServer) -> None:
    (project.file("helper.py")).write_text("def judge(text):\n    assert text == 'right'\n")
    project.file("test_it.py").write_text(
        "import pytest\nfrom helper import judge\n\n@pytest.mark.longctx(trials=1)\n"
        "def test_marked(ask):\n    judge(ask('say').text)\n"
    )
    command = [sys.executable, "-O", "-m", "pytest", "-p", "no:cacheprovider", "--ctx-model=toy", "--ctx-record=once"]
    env = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
    for test, code, told in (("test_it.py", 4, "[python-optimized]"), ("test_other.py", 0, "1 passed")):
        project.file("test_other.py").write_text("def test_other(): pass\n")
        done = subprocess.run(
            [*command, test, f"--ctx-base-url={server.url}"],
            cwd=project.folder,
            env=env | {"PYTHONPATH": str(ROOT), "ANTHROPIC_API_KEY": "sk-of-a-test"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert told in done.stdout + done.stderr
    assert server.received == []


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_test_that_is_run_again_counts_as_its_last_run(project: Checkout, workers: str) -> None:
    project.file("again.py").write_text(AGAIN)
    project.file("test_it.py").write_text(FLAKY)
    with SimulatedServer(saying("wrong")) as server:
        assert project.record(server).says("1 failed, 1 passed")
    env = {"PYTHONPATH": _path(project), "FLAKY": "1"}
    result = project.pytest(workers, "-pagain", "--junitxml=junit.xml", env=env)
    assert result.code == 1, result.out
    assert result.says("1 failed, 1 passed, 2 rerun", "0.00")
    outcomes = [(row["test"], row["outcome"]) for row in project.rows()]
    assert outcomes == [("test_flaky", "correct")] * 2 + [("test_low", "wrong")] * 8
    for case in ElementTree.parse(project.file("junit.xml")).iter("testcase"):
        names = [entry.get("name") for entry in case.iter("property")]
        assert names.count("test") < 2


@pytest.mark.parametrize("first", ["-pcheck_plugin", "-plongctx.plugin"])
def test_a_marked_test_gets_our_fixture_and_any_other_test_theirs(
    project: Checkout, first: str, server: SimulatedServer
) -> None:
    project.file("check_plugin.py").write_text(CHECK)
    project.file("test_it.py").write_text(CHECKING)
    result = project.record(server, first, "-pcheck_plugin", env={"PYTHONPATH": _path(project)})
    assert result.code == 0, result.out
    assert [row["test"] for row in project.rows()] == ["test_marked", "test_marked.short"]


def test_a_marked_test_must_say_whose_check_it_means(project: Checkout, server: SimulatedServer) -> None:
    project.file("check_plugin.py").write_text(CHECK)
    project.file("test_it.py").write_text(CHECKING.replace("(ctx)", "(ctx, check)"))
    result = project.record(server, "-pcheck_plugin", env={"PYTHONPATH": _path(project)})
    assert (result.code, result.says("1 failed, 1 passed", "[fixture-of-two-plugins]")) == (1, True)
    assert result.says("test_marked uses the fixture check, which check_plugin also defines: write ctx.check")
    assert not server.asked


def test_the_projects_own_fixture_replaces_both(project: Checkout, server: SimulatedServer) -> None:
    project.file("check_plugin.py").write_text(CHECK)
    own = "\n\nimport pytest\n\n@pytest.fixture\ndef check(): return lambda *given: print('mine')\n"
    with project.file("conftest.py").open("a") as file:
        file.write(own)
    project.file("test_it.py").write_text(
        CHECKING.partition("def test_other")[0].replace("ctx.check", "check").replace("(ctx)", "(ctx, check)")
    )
    result = project.record(server, "-s", "-pcheck_plugin", env={"PYTHONPATH": _path(project)})
    assert "mine" in result.out, result.out


def _path(project: Checkout) -> str:
    return f"{project.folder}:{project.launcher.env['PYTHONPATH']}"
