"""`family new` writes a family that `family check` finds nothing wrong with, and check finds what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from longctx import Run
from longctx.cli import main
from longctx.cli.family import faults
from tests.here import HERE

PYTEST = "[pytest]\npythonpath = .\nlongctx_families = boat_numbers:FAMILY\n"
NEW = ["family", "new", "boat_numbers"]
CHECK = ["family", "check", "boat_numbers", "--profile", "boat_numbers"]
RANDOM = "number, place = stream.randint(10_000, 100_000), stream"
HASHED = "number, place = hash(str(index)) % 90_000 + 10_000, stream"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty project, which is the working directory, and whose module no other test has imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "boat_numbers", raising=False)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


@pytest.fixture
def project(empty: Path) -> Path:
    """Return a project with a new family."""
    assert main(NEW) == 0
    (empty / "pytest.ini").write_text(PYTEST)
    return empty


def test_a_new_family_holds(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(CHECK) == 0
    assert "boat_numbers: 2 scenarios, 6 trials checked, 0 faults." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            [
                ('"correct" if found[0] == trial.expected else "wrong"', '"wrong"'),
                ("return unanswered(reply)", 'return Outcome("correct")'),
                ("self.stream(seed, index)", "self.stream(seed, 0)"),
                ("round(12 *", "round(60 *"),
            ],
            [
                "its own expected answer",
                "an empty reply is judged correct",
                "two of its trials ask the same",
                "size_tokens says",
            ],
        ),
        (
            [(RANDOM, HASHED), ("depth=place / self.sentences", "depth=float(place)")],
            ["Two processes", "is not between 0 and 1"],
        ),
    ],
)
def test_what_is_wrong_is_named(
    project: Path, changes: Sequence[tuple[str, str]], says: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    module = project / "boat_numbers.py"
    text = module.read_text()
    for right, wrong in changes:
        assert right in text
        text = text.replace(right, wrong)
    module.write_text(text)
    assert main(CHECK) == 1
    out = capsys.readouterr().out
    assert [part for part in says if part not in out] == []


def test_nothing_is_overwritten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(NEW) == 2
    assert "[file-exists]" in capsys.readouterr().err


@pytest.mark.parametrize(
    "family",
    [
        "line_retrieval",  # its facts have no ==
        "collage",  # about a bank, and a letter in tags
        "graph_walks",  # "Final Answer: [...]"
        "latest_value",  # counts a model's tokens
        "abstention",
        "aggregation",
        "short_answers",
    ],
)
def test_the_families_that_come_with_longctx_hold(family: str) -> None:
    [case, *_] = Run("first", "a-model", root=HERE.root).plan.cases_of(family)
    assert list(faults(case)) == []


@pytest.mark.parametrize("name", ["../boats", "Boats", "a b", ""])
def test_a_name_that_is_none(empty: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["family", "new", name]) == 2
    assert "[bad-family-name]" in capsys.readouterr().err
    assert [path.name for path in empty.iterdir()] == ["pytest.ini"]


def test_an_unknown_family_and_a_profile_without_its_table(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["family", "check", "boats", "--profile", "boat_numbers"]) == 2
    assert "[unknown-family]" in capsys.readouterr().err
    assert main(["family", "check", "passkey", "--profile", "boat_numbers"]) == 2
    assert "[family-without-table]" in capsys.readouterr().err
