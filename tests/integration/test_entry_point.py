"""The plugin's entry point: `-p no:longctx` leaves it out, and a conftest.py that names the plugin is no second one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from longctx.functions.cells import FunctionTable
from tests.integration.conftest import ROOT, Launcher

METADATA = "Metadata-Version: 2.4\nName: pytest-longctx\nVersion: 0\n"


@pytest.fixture
def env(launcher: Launcher, tmp_path: Path) -> dict[str, str]:
    """Return an environment in which this checkout is an installed distribution."""
    info = tmp_path / "site" / "pytest_longctx-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text("[pytest11]\nlongctx = longctx.entry_point\n")
    return {
        **{name: value for name, value in launcher.env.items() if not name.startswith("PYTEST_")},
        "PYTHONPATH": os.pathsep.join([str(info.parent), str(ROOT)]),
    }


def run(project: Path, env: dict[str, str], *arguments: str) -> str:
    (project / "test_mine.py").write_text("def test_mine(): pass\n")
    (project / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-pno:cacheprovider", "-Werror", *arguments]
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


UNKNOWN = "unrecognized arguments: --ctx-trials=3"


def test_it_is_loaded_once_and_can_be_left_out(tmp_path: Path, env: dict[str, str]) -> None:
    assert "1 passed" in run(tmp_path, env, "-plongctx.plugin")
    assert UNKNOWN in run(tmp_path, env, "-pno:longctx", "--ctx-trials=3")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["longctx.plugin"]\n')
    assert "1 passed" in run(tmp_path, env, "-n1", "--ctx-trials=3")
    assert UNKNOWN in run(tmp_path, env, "-pno:longctx.plugin", "--ctx-trials=3")


def test_all_arguments_of_the_marker_are_listed(tmp_path: Path, env: dict[str, str]) -> None:
    out = run(tmp_path, env, "--markers")
    assert "@pytest.mark.longctx(trials, **arguments):" in out
    assert re.findall(r"^    (\w+)=", out, re.MULTILINE) == [*FunctionTable.model_fields, "counts", "axes", "report"]
