"""Files that a merge left in conflict are called that, whatever they hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from longctx.config.folders import read_toml
from longctx.config.models import ModelProfile
from longctx.conflicts import in_conflict
from longctx.corpus.filters import load_filter
from longctx.corpus.questions import load_questions
from longctx.errors import UserError
from longctx.results.baseline import check_baseline, load_manifest_of
from longctx.workspace import Workspace

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


READERS: dict[str, Callable[[Path], object]] = {
    "keep what is right of both sides": lambda path: read_toml(path, ModelProfile),
    "a baseline is of one run: take one side's": check_baseline,
    "take one side's (git checkout --ours": load_manifest_of,
    "keep the questions that are right": load_questions,
}


@pytest.mark.parametrize("advice", READERS)
def test_each_reader_says_what_to_do(tmp_path: Path, advice: str) -> None:
    path = tmp_path / "file"
    path.write_text(BOTH)
    with pytest.raises(UserError) as caught:
        READERS[advice](path)
    assert str(caught.value).startswith(f"{path} holds the conflict markers of a merge: ")
    assert advice in str(caught.value)


def test_a_filter_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "fixtures" / "questions" / "filters" / "toy-0123456789ab.json"
    path.parent.mkdir(parents=True)
    path.write_text(BOTH)
    with pytest.raises(UserError, match="conflict markers of a merge: a filter is of one run: take one side's"):
        load_filter(Workspace(tmp_path), "toy", "0123456789ab")
