"""Finding a run that is named on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.results.folder import find_run
from tests.refusals import refused


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
    ("name", "code"),
    [
        ("nowhere", "no-run"),
        ("empty", "no-run"),
        ("killed", "run-not-finished"),
        ("run/results.jsonl", "path-is-file"),
        ("latest", "path-is-file"),
    ],
)
def test_anything_else_is_a_sentence(run: Path, tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "rows.part").touch()
    (tmp_path / "latest").write_text("gone")
    with refused(code, name):
        find_run(tmp_path / name)
