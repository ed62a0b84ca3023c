"""README.md: its commands run as they stand, and print what it shows.

`python -m tests.integration.test_readme` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.integration.conftest import NOT_PASSED_ON, ROOT
from tests.tools.blocks import block, write_blocks
from tools.site.repository import REPORT

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
LINES = re.findall(r"^python3 -m venv .*pip install -r.*$", TEXT, re.MULTILINE)
"""The two commands that need nothing but Python."""
INSTALLED = re.compile(r"python3 -m venv \.venv && \. \.venv/bin/activate && pip install -r (\S+) && (pytest .*)")
ROWS = 10
"""The lines of the first table that README shows."""
GATE = re.search(r"^pytest .*--ctx-baseline=lines", TEXT, re.MULTILINE)


def ran(command: str, folder: Path, code: int = 0) -> str:
    """Run a command of pytest in this checkout, with its report in a folder; return what it prints."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
    path = f"{Path(sys.executable).parent}:{env['PATH']}"
    result = subprocess.run(
        f"{sys.executable} -m {command} --ctx-report={folder} -p no:cacheprovider",
        shell=True,
        cwd=ROOT,
        env=env | {"PATH": path, "COLUMNS": "160"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout


def suite(folder: Path) -> str:
    """Return the first lines of longctx's output in a run of the suite, and the last ones."""
    found = INSTALLED.fullmatch(LINES[0])
    assert found
    lines = ran(found[2], folder).splitlines()
    start = next(place for place, line in enumerate(lines) if re.match(r"longctx: profile .* trials", line))
    end = next(line for line in lines if re.match(r"[\d,]+ trials: ", line))
    passed = re.search(r"\d+ passed, \d+ deselected", lines[-1])
    assert passed
    return text(*lines[start : start + ROWS], "…", end, passed[0])


def gate(folder: Path) -> str:
    """Return the verdict that the command of README prints."""
    assert GATE
    lines = ran(GATE[0], folder, 10).splitlines()
    start = next(place for place, line in enumerate(lines) if "change, points" in line)
    verdict = next(line for line in lines if line.startswith("Gate: "))
    return text(verdict, *lines[start : start + 3], "…", lines[-1].partition(" · ")[0])


def text(*lines: str) -> str:
    return "\n".join(("```text", *(line.rstrip() for line in lines), "```"))


WRITTEN = {"suite": suite, "gate": gate}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_command_prints_what_the_readme_shows(name: str, tmp_path: Path) -> None:
    assert block(README, name) == WRITTEN[name](tmp_path / "run")
    if name == "suite":
        kept = ROOT / REPORT
        assert headings(kept) == headings(tmp_path / "run/index.html"), "python -m tools.pictures replays it again"


def headings(page: Path) -> list[str]:
    """Return the headings of a page and of its tables."""
    return re.findall(r"<(?:h[1-4]|th)\b[^>]*>([^<]+)<", page.read_text(encoding="utf-8"))


def test_the_checks_run_both_commands_as_they_stand() -> None:
    """.ci/run reads them from the README; here the second one is not run within its own tests."""
    assert [INSTALLED.fullmatch(line)[2] for line in LINES] == ["pytest -n 8 tests_longctx", "pytest -n 2 tests"]  # type: ignore[index]
    for line in LINES:
        subprocess.run(["sh", "-n", "-c", line], check=True)
        assert (ROOT / INSTALLED.fullmatch(line)[1]).is_file()  # type: ignore[index]
    checks = (ROOT / ".ci/run").read_text(encoding="utf-8")
    [pattern] = re.findall(r"grep '(.*)' README.md", checks)
    assert [line for line in TEXT.splitlines() if re.search(pattern, line)] == LINES


def test_the_suite_needs_nothing_of_the_tests(tmp_path: Path) -> None:
    """Pytest takes `lines` for a path and loads tests/conftest.py. requirements.txt has no Hypothesis."""
    (tmp_path / "hypothesis.py").write_text("raise ModuleNotFoundError('hypothesis')")
    env = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
    result = subprocess.run(
        [*command, "--ctx-profile", "lines", "--collect-only", "-q"],
        cwd=ROOT,
        env=env
        | {"PYTHONPATH": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("path", ["reports/run/index.html", "longctx-demo/pytest.ini", ".venv/bin/python"])
def test_what_its_commands_write_is_ignored(path: str) -> None:
    assert subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT, check=False).returncode in (0, 128)


def written() -> Mapping[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        return {name: made(Path(folder) / name) for name, made in WRITTEN.items()}


if __name__ == "__main__":
    write_blocks(README, written())
