"""A run as it is named on a command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.errors import UserError
from longctx.results.folder import find_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "results.jsonl").touch()
    return folder


def test_a_folder_a_link_and_a_file_that_names_it(run: Path, tmp_path: Path) -> None:
    latest = tmp_path / "latest"
    latest.symlink_to("run", target_is_directory=True)
    assert find_run(run) == find_run(latest) == run.resolve()
    latest.unlink()
    latest.write_text("run\n")
    assert find_run(latest) == run.resolve()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere", "nowhere holds no run: give the folder that pytest wrote, such as reports/latest"),
        ("empty", "empty holds no run"),
        ("killed", "killed holds a run that did not finish: run it again"),
        ("run/results.jsonl", "is a file: give the folder of a run"),
        ("latest", "latest is a file"),
    ],
)
def test_anything_else_is_a_sentence(run: Path, tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "rows.part").touch()
    (tmp_path / "latest").write_text("gone")
    with pytest.raises(UserError, match=sentence):
        find_run(tmp_path / name)
