"""Files with conflict markers of a merge are reported as such, whatever they hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from longctx.config.models import ModelProfile
from longctx.config.project_files import read_toml
from longctx.conflicts import in_conflict
from longctx.corpus.filters import load_filter
from longctx.corpus.question_bank import load_questions
from longctx.results.baseline_file import check_baseline, load_manifest_of
from longctx.workspace import Workspace
from tests.refusals import refused

BOTH = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> mine\n"


@pytest.mark.parametrize(
    ("text", "conflict"),
    [
        (BOTH, True),
        ("a\r\n<<<<<<< HEAD\r\n", True),
        ("<<<<<<<", True),
        ("a <<<<<<< HEAD", False),
        ("<<<<<<<<<", False),
        ("=======\n>>>>>>> mine\n", False),
        ("", False),
    ],
)
def test_the_beginning_of_a_conflict(tmp_path: Path, text: str, conflict: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    assert in_conflict(path) == conflict


def test_what_is_no_file_is_in_no_conflict(tmp_path: Path) -> None:
    assert not in_conflict(tmp_path)
    assert not in_conflict(tmp_path / "none")


def read_model(path: Path) -> ModelProfile:
    return read_toml(path, ModelProfile)


@pytest.mark.parametrize("read", [read_model, check_baseline, load_manifest_of, load_questions])
def test_each_reader_says_so(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = tmp_path / "file"
    path.write_text(BOTH)
    with refused("merge-conflict", path):
        read(path)


def test_a_filter_says_so(tmp_path: Path) -> None:
    path = tmp_path / "fixtures" / "questions" / "filters" / "toy-0123456789ab.json"
    path.parent.mkdir(parents=True)
    path.write_text(BOTH)
    with refused("merge-conflict", path):
        load_filter(Workspace(tmp_path), "toy", "0123456789ab")
