"""`family new` writes a family that `family check` finds nothing wrong with, and check finds what is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.here import HERE

PYTEST = "[pytest]\npythonpath = .\nlongctx_families = boat_numbers:FAMILY\n"


def longctx(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(HERE.root)}
    command = [sys.executable, "-m", "longctx", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a new family."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    made = longctx(tmp_path, "family", "new", "boat_numbers")
    assert made.returncode == 0, made.stderr
    (tmp_path / "pytest.ini").write_text(PYTEST)
    return tmp_path


def check(project: Path) -> subprocess.CompletedProcess[str]:
    return longctx(project, "family", "check", "boat_numbers", "--profile", "boat_numbers")


def test_a_new_family_holds(project: Path) -> None:
    checked = check(project)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "boat_numbers: 2 scenarios, 6 trials checked, 0 faults." in checked.stdout


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ('"correct" if found[0] == trial.expected else "wrong"', '"wrong"', "its own expected answer"),
        ("return unanswered(reply)", 'return Outcome("correct")', "an empty reply is judged correct"),
        ("self.stream(seed, index)", "self.stream(seed, 0)", "two of its trials ask the same"),
        ("number, place = stream", "number, place = hash(str(index)) % 90_000 + 10_000, stream", "Two processes"),
        ("round(12 *", "round(60 *", "size_tokens says"),
        ("depth=place / self.sentences", "depth=float(place)", "is not between 0 and 1"),
    ],
)
def test_what_is_wrong_is_named(project: Path, right: str, wrong: str, says: str) -> None:
    module = project / "boat_numbers.py"
    text = module.read_text()
    if "hash(" in wrong:
        right = "number, place = stream.randint(10_000, 100_000), stream"
    assert right in text
    module.write_text(text.replace(right, wrong))
    checked = check(project)
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert says in checked.stdout


def test_nothing_is_overwritten(project: Path) -> None:
    again = longctx(project, "family", "new", "boat_numbers")
    assert again.returncode == 2
    assert "[file-exists]" in again.stderr


@pytest.mark.parametrize("name", ["../boats", "Boats", "a b", ""])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    refused = longctx(tmp_path, "family", "new", name)
    assert refused.returncode == 2
    assert "[bad-family-name]" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pytest.ini"]


def test_an_unknown_family_and_a_profile_without_its_table(project: Path) -> None:
    assert "[unknown-family]" in longctx(project, "family", "check", "boats", "--profile", "boat_numbers").stderr
    assert (
        "[family-without-table]" in longctx(project, "family", "check", "passkey", "--profile", "boat_numbers").stderr
    )
