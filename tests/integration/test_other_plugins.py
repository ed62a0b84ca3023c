"""Plugins that run a test again, and plugins with fixtures of the same names."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.integration.conftest import Checkout
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
