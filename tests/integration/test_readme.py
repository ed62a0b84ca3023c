"""README.md: its commands run from top to bottom, and print what it shows.

`python -m tests.integration.test_readme` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path

import pytest

from tests.integration import bare
from tests.integration.conftest import NOT_PASSED_ON, ROOT, needs_git
from tests.servers import Answer, Body, SimulatedServer, prompt_of, saying
from tests.tools.blocks import block, write_blocks
from tools.site.repository import REPORT

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
LINES = re.findall(r"^python3 -m venv .*pip install -r.*$", TEXT, re.MULTILINE)
"""The two commands that need nothing but Python."""
INSTALLED = re.compile(r"python3 -m venv \.venv && \. \.venv/bin/activate && pip install -r (\S+) && (pytest .*)")
SHOWN = ("line retrieval", "passkey")
"""The tests of the first table that README shows."""
RECORD = "--ctx-record=once"
STATUS = re.compile(r"# exit status (\d+)")
SHELL = """{line}
status=$?
printf '\n%s\n' '{mark}'
[ $status = {status} ] || exit 99
"""
MARK = "~~~ the next command ~~~"


def commands() -> list[str]:
    """Return the lines of all blocks of commands, in their order."""
    return "".join(re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)).splitlines()


def printed(folder: Path) -> dict[str, str]:
    """Run README from top to bottom in one shell, in a clone without packages; return what each command prints.

    The second command, which runs this very test, is left out: .ci/run runs it as it stands.
    """
    clone = folder / "longctx"
    copy_of(clone)
    with SimulatedServer(right) as server:
        script = ""
        for line in commands():
            status = STATUS.search(line)
            run = line.replace("API_KEY=…", "API_KEY=sk-of-a-test")
            run = run.replace(RECORD, f"{RECORD} --ctx-base-url={server.url}").replace(LINES[1], "true")
            script += SHELL.format(line=run, mark=MARK, status=status[1] if status else 0)
        env = {
            name: value for name, value in os.environ.items() if not name.startswith((*NOT_PASSED_ON, "VIRTUAL_ENV"))
        }
        path = f"{bare.commands(folder / 'bin')}:/usr/local/bin:/usr/bin:/bin"
        result = subprocess.run(
            ["bash", "-c", script],
            cwd=clone,
            env=env | {"PATH": path, "COLUMNS": "160", "HOME": str(folder)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr
    return dict(zip(commands(), result.stdout.split(f"\n{MARK}\n"), strict=False))


def copy_of(clone: Path) -> None:
    """Copy this tree, with what is not committed yet."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)


def right(body: Body) -> Answer:
    return saying(re.findall(r"The refund code is (\d+)", prompt_of(body))[0])(body)


def suite(output: str) -> str:
    """Return the first lines of longctx's output in a run of the suite, and the last ones."""
    lines = output.splitlines()
    start = next(place for place, line in enumerate(lines) if re.match(r"longctx: profile .* trials", line))
    end = next(line for line in lines if re.match(r"[\d,]+ trials: ", line))
    passed = re.search(r"\d+ passed, \d+ deselected", lines[-1])
    assert passed
    heads = [place for place, line in enumerate(lines) if place > start and line[:1].strip()]
    below = next(place for place in heads if not lines[place].startswith(SHOWN))
    return text(*lines[start:below], "…", end, passed[0])


def gate(output: str) -> str:
    """Return the verdict that the command of README prints."""
    lines = output.splitlines()
    start = next(place for place, line in enumerate(lines) if "change, points" in line)
    bands = takewhile(lambda line: re.search(r" / [\d,]+ of ", line), lines[start + 1 :])
    verdict = next(line for line in lines if line.startswith("Gate: "))
    return text(verdict, lines[start], *bands, "…", lines[-1].partition(" · ")[0])


def text(*lines: str) -> str:
    return "\n".join(("```text", *(line.rstrip() for line in lines), "```"))


def written(outputs: Mapping[str, str]) -> dict[str, str]:
    """Return the blocks of README that show outputs, by their names."""
    [gated] = [line for line in outputs if "--ctx-baseline=table4" in line]
    return {"suite": suite(outputs[LINES[0]]), "gate": gate(outputs[gated])}


@needs_git
def test_it_runs_from_top_to_bottom_in_a_bare_environment_and_prints_what_it_shows(tmp_path: Path) -> None:
    outputs = printed(tmp_path)
    assert outputs.keys() == {*commands()}
    for name, shown in written(outputs).items():
        assert block(README, name) == shown
    [first, _] = sorted((tmp_path / "longctx/reports").glob("20*/index.html"))
    assert headings(ROOT / REPORT) == headings(first), "python -m tools.pictures replays it again"
    assert "GATE: REGRESSION in 1 of 1 band (exit 10)" in outputs["longctx demo"]
    *_, replayed = outputs.values()
    assert "20 replayed, 0 requests" in replayed


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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_blocks(README, written(printed(Path(folder))))
