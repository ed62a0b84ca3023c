"""An installed longctx in a project that does not use it: nothing heavy is imported, nothing read, nothing written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.conftest import Launcher

HEAVY = "anthropic", "httpx2", "numpy", "pandas", "pyarrow", "pydantic", "rich", "tomlkit", "vcr"
PLUGIN = f"""
import sys

def pytest_unconfigure(config):
    with open(("worker-" if hasattr(config, "workerinput") else "main-") + "imports", "w") as file:
        print(*(name for name in {HEAVY} if name in sys.modules), file=file)
        print(*(name for name in sys.modules if name.partition(".")[0] == "longctx"), file=file)
"""
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(4))
def test_nothing(number):
    pass

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass
"""
OFF = "cacheprovider", "hypothesispytest", "anyio", "benchmark"
"""Plugins that write, or that are not of a bare pytest."""


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """Return a project that does not use longctx."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    (folder / "show_imports.py").write_text(PLUGIN)
    (folder / "test_mine.py").write_text(TESTS)
    return folder


def run(launcher: Launcher, folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-plongctx.plugin", "-pshow_imports", *(f"-pno:{name}" for name in OFF)]
    env = launcher.env | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*command, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("arguments", [("-n0",), ("-n2",), ("--collect-only",)])
def test_nothing_heavy_is_imported_and_nothing_written(
    launcher: Launcher, stranger: Path, arguments: tuple[str, ...]
) -> None:
    out = run(launcher, stranger, *arguments)
    imports = {path.name: path.read_text().splitlines() for path in stranger.glob("*-imports")}
    assert {*imports} == ({"main-imports", "worker-imports"} if "-n2" in arguments else {"main-imports"})
    for heavy, ours in imports.values():
        assert heavy == ""
        assert "longctx.plugin" in ours
    assert {path.name for path in stranger.rglob("*")} == {"show_imports.py", "test_mine.py", *imports}
    assert "longctx" not in out


def test_no_profile_is_read(launcher: Launcher, stranger: Path) -> None:
    """One that cannot be read is no fault of this run."""
    (stranger / "fixtures/profiles").mkdir(parents=True)
    (stranger / "fixtures/profiles/broken.toml").write_text("[")
    assert "4 passed, 1 skipped" in run(launcher, stranger)
