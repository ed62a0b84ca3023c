"""A project in a folder whose name the locale cannot write, as in a container without a locale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.integration.conftest import LINES, Checkout

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
PROGRAM = """
import sys

import pytest
from longctx.cli import main

for command in sys.argv[1:]:
    program, *arguments = command.split()
    assert {"pytest": pytest.main, "longctx": main}[program](arguments) == 0
"""
"""Runs the commands that are its arguments, as Python reads them in the locale with which it was started."""
QUIET = "pytest -q -pno:cacheprovider --ctx-profile=fixtures/prüfung.toml"
COMMANDS = (
    f"{QUIET} --ctx-report=reports/erster-lauf-ü",
    "longctx baseline save main",
    f"{QUIET} --ctx-baseline=main --ctx-on-inconclusive=pass -olongctx_parquet=1",
    "longctx compare reports/erster-lauf-ü reports/latest --out seite-ü.html",
)


def test_it_is_measured_gated_and_compared(recorded: Checkout, tmp_path: Path) -> None:
    """One process does all: each start takes a second."""
    project = recorded.copied(tmp_path / "my dir [ünï] #1 %20")
    project.profile(LINES, name="fixtures/prüfung.toml")
    command = [sys.executable, "-c", PROGRAM, *COMMANDS]
    env = project.launcher.env | C_LOCALE
    done = subprocess.run(command, cwd=project.folder, env=env, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode("utf-8", "replace")
    written = {path.name for path in project.file("reports/latest").iterdir()}
    assert {"index.html", "results.csv", "results.parquet", "summary.json", "run.json", "gate.json"} <= written
    assert project.file("seite-ü.html").exists()
