"""Finding a run that is named on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.results.run_folders import find_run, remove_old_runs
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


def finished(reports: Path, name: str) -> Path:
    folder = reports / name
    folder.mkdir(parents=True)
    (folder / "results.jsonl").write_text("")
    (folder / "run.json").write_text("{}")
    return folder


@pytest.mark.parametrize(("keep", "left"), [(0, 4), (1, 1), (3, 3), (10, 4)])
def test_the_last_runs_of_a_project_are_kept(tmp_path: Path, keep: int, left: int) -> None:
    runs = [finished(tmp_path, f"2026-11-2{day}T09-00-00-000") for day in range(1, 5)]
    remove_old_runs(tmp_path, keep)
    assert [run for run in runs if run.exists()] == runs[4 - left :]


def test_only_what_a_run_made_is_removed(tmp_path: Path) -> None:
    named, other = finished(tmp_path, "release-1"), tmp_path / "2026-11-20T09-00-00-000"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    elsewhere = finished(tmp_path / "elsewhere", "kept")
    (tmp_path / "2026-11-19T09-00-00-000").symlink_to(elsewhere, target_is_directory=True)
    compared = finished(tmp_path, "2026-11-21T09-00-00-000")
    old, last = (finished(tmp_path, f"2026-11-2{day}T09-00-00-000") for day in (2, 3))
    remove_old_runs(tmp_path, 1, [compared])
    assert not old.exists()
    assert all(folder.exists() for folder in (named, other, elsewhere, compared, last))
