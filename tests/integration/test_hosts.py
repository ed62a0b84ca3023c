"""The process that started the run is the only one that writes: workers may stand on other hosts, and may die."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import LINES, PASSKEY, ROOT, Checkout, Result, without_run
from tests.servers import SimulatedServer, saying

DYING = """
import os
import signal


def pytest_runtest_call(item):
    if item.nodeid == os.environ.get("DIES"):
        os.kill(os.getpid(), signal.SIGKILL)
"""
"""A pytest plugin that kills the process of one test."""


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    """Return a project whose profile has a name, so that a copy of the project finds it too."""
    checkout.file("fixtures/profiles").mkdir()
    checkout.profile(LINES, PASSKEY, name="fixtures/profiles/small.toml")
    return checkout


@contextlib.contextmanager
def socket_host(folder: Path) -> Iterator[str]:
    """Run a server that runs workers, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "{}:{}".format(*free.getsockname())
    command = [sys.executable, "-u", "-m", "execnet.script.socketserver", address]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert b"Accept loop" in process.stdout.readline()
        try:
            yield address
        finally:
            process.kill()


def run_on(project: Checkout, spec: str, *arguments: str) -> Result:
    """Run pytest with workers in a copy of the project, which xdist sends."""
    return project.pytest(
        *("-d", f"--tx={spec}", "--rsyncdir=.", "--rsyncignore=reports", "-Wignore::DeprecationWarning"),
        *(*arguments, project.file("tests_longctx")),
        profile="small",
    )


def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def rows_of(project: Checkout) -> list[dict[str, Any]]:
    return without_run(project.rows())


@pytest.mark.parametrize("kind", ["popen", "socket"])
def test_workers_elsewhere_measure_what_one_process_does(
    project: Checkout, server: SimulatedServer, tmp_path: Path, kind: str
) -> None:
    """Some trials have no recording. The copy has no reports."""
    live = (f"--ctx-base-url={server.url}", "--ctx-record=once", "-k", "not lines-5")
    project.pytest(*live, profile="small")
    assert project.pytest("-n0", profile="small").code == 1
    expected, folder = rows_of(project), elsewhere(tmp_path)
    with socket_host(folder) if kind == "socket" else contextlib.nullcontext("") as address:
        spec = f"socket={address}" if address else "popen"
        result = run_on(project, f"{spec}//chdir={folder}")
    assert (result.code, result.says("1 failed, 3 passed", "of 2 trials have no recording")) == (1, True)
    assert rows_of(project) == expected
    assert (folder / "checkout/cassettes").is_dir()
    assert not (folder / "checkout/reports").exists()


def test_workers_elsewhere_are_told_what_could_not_be_asked(
    project: Checkout, server: SimulatedServer, tmp_path: Path
) -> None:
    live = (f"--ctx-base-url={server.url}", "--ctx-record=all", "--ctx-max-cost=0.000001")
    project.prices(1, 1)
    project.pytest(*live, "-n0", profile="small")
    expected = rows_of(project)
    assert {row["outcome"] for row in expected} == {"not_asked"}
    run_on(project, f"popen//chdir={elsewhere(tmp_path)}", *live)
    assert rows_of(project) == expected


def test_lone_surrogates_survive_the_way(project: Checkout, server: SimulatedServer) -> None:
    server.script = saying("lone \ud800 and \udfff")
    project.record(server, "-n1", profile="small")
    latest = project.file("reports/latest")
    views = [json.loads(line) for line in (latest / "views.jsonl").read_text().splitlines()]
    assert {view["reply"] for view in views} == {"lone \ud800 and \udfff"}


@pytest.fixture
def recorded(project: Checkout, server: SimulatedServer) -> list[str]:
    """Record the project, and return the ids of its tests in order."""
    project.file("dying.py").write_text(DYING)
    run = project.record(server, profile="small")
    return re.findall(r"^(\S+::\S+) PASSED", run.out, re.MULTILINE)


def test_a_worker_that_dies_loses_no_test_that_has_ended(project: Checkout, recorded: list[str]) -> None:
    whole = [{**row, "source": "replayed"} for row in rows_of(project)]
    dies = recorded[2]
    result = project.pytest("-pdying", "-n2", profile="small", env={"DIES": dies})
    assert result.code == 1
    assert result.says("3 passed", "1 failed", f"crashed while running '{dies}'")
    left = rows_of(project)
    assert len(left) == 6
    assert [row for row in whole if row["cell"] in {ended["cell"] for ended in left}] == left
    [named] = project.read("reports/latest/run.json")["left_out"]
    assert named.startswith("passkey/")
    assert project.pytest("-pdying", "-n2", profile="small").code == 0
    assert rows_of(project) == whole


def test_a_run_that_is_killed_leaves_what_was_finished(project: Checkout, recorded: list[str]) -> None:
    result = project.pytest("-pdying", "-n0", "--ctx-report=mine", profile="small", env={"DIES": recorded[2]})
    assert result.code == -signal.SIGKILL
    lines = project.file("mine/rows.part").read_text().splitlines()
    cells = [json.loads(line.partition("\t")[0])["cell"] for line in lines]
    assert cells == [cell for cell in ("lines-3", "lines-5") for _ in range(2)]
