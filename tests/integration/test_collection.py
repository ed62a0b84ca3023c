"""Collection imports neither the SDK nor vcrpy nor pandas; a replay never imports the SDK."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer

PLUGIN = """
import sys

def pytest_unconfigure(config):
    names = ("anthropic", "httpx2", "vcr", "pandas", "rich.progress", "longctx.plugin")
    print("\\nIMPORTED", *(name for name in names if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("arguments", "imported"),
    [
        (("--collect-only", "-q"), ["longctx.plugin"]),
        (("-q",), ["vcr", "pandas", "longctx.plugin"]),
        (("-q", "-n1"), ["pandas", "longctx.plugin"]),
    ],
    ids=["collection", "replay", "the controller of workers"],
)
def test_imports(checkout: Checkout, server: SimulatedServer, arguments: tuple[str], imported: list[str]) -> None:
    checkout.record(server)
    checkout.file("show_imports.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-p", "show_imports", "-p", "no:cacheprovider"]
    command += ["--ctx-profile=tiny.toml", *arguments]
    env = checkout.launcher.env
    done = subprocess.run(command, cwd=checkout.folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    [said] = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("IMPORTED")]
    assert said == imported
