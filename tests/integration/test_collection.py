"""What is imported when: by a collection nothing heavy, by an estimate or a replay no SDK, and never pandas."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.integration.conftest import Checkout

PLUGIN = """
import sys

def pytest_unconfigure(config):
    names = ("anthropic", "vcr", "pandas", "pyarrow", "rich", "longctx.plugin")
    with open("worker" if hasattr(config, "workerinput") else "main", "w") as file:
        print(*(name for name in names if name in sys.modules), file=file)
"""


@pytest.mark.parametrize(
    ("arguments", "imported"),
    [
        (("--collect-only",), {"main": ["longctx.plugin"]}),
        (("--ctx-estimate",), {"main": ["vcr", "longctx.plugin"]}),
        (("-n0",), {"main": ["vcr", "longctx.plugin"]}),
        (("-n1",), {"main": ["longctx.plugin"], "worker": ["vcr", "longctx.plugin"]}),
    ],
    ids=["collection", "estimate", "one process", "controller and worker"],
)
def test_imports(recorded: Checkout, arguments: tuple[str], imported: dict[str, list[str]]) -> None:
    recorded.file("show_imports.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-p", "show_imports", "-p", "no:cacheprovider"]
    command += ["--ctx-profile=tiny.toml", *arguments]
    env = recorded.launcher.env
    done = subprocess.run(command, cwd=recorded.folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert {name: recorded.file(name).read_text().split() for name in imported} == imported
