"""Reading files that hold something other than episodes. See test_tape.py for episodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.recording.episodes import Recorded, read_episodes
from tests.recording.examples import line_cell, recorded
from tests.refusals import refused


def test_a_file_that_is_not_there_holds_none(tmp_path: Path) -> None:
    assert read_episodes(tmp_path / "toy" / "none.jsonl", tmp_path) == Recorded([], left_out=[])


def test_conflict_markers_are_called_that_in_all_files_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "cassettes"
    files = [recorded(folder, line_cell(lines)) for lines in (3, 5, 8)]
    for file, end in zip(files[:2], ("\n", "\r\n"), strict=True):
        file.write_bytes(f"<<<<<<< HEAD{end}".encode() + file.read_bytes() + f"={'=' * 6}{end}>>>>>>> b{end}".encode())
    both = "cassettes/toy/line_retrieval/lines-3.jsonl, cassettes/toy/line_retrieval/lines-5.jsonl"
    with refused("cassettes-in-conflict", "2 cassettes", both):
        read_episodes(files[1], folder)
    assert len(read_episodes(files[2], folder).episodes) == 2
    files[0].unlink()
    with refused("cassettes-in-conflict", "1 cassette "):
        read_episodes(files[1], folder)


def test_of_many_files_the_first_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(25):
        (tmp_path / f"{number:02}.jsonl").write_text("<<<<<<< HEAD\n")
    with refused("cassettes-in-conflict", " 00.jsonl, 01.jsonl", ", 19.jsonl and 5 more"):
        read_episodes(tmp_path / "24.jsonl", tmp_path)


def test_a_line_that_is_no_episode_is_not_blamed_on_the_markers_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("<<<<<<< HEAD\n")
    (tmp_path / "b.jsonl").write_text("{}\n")
    with refused("bad-episode", "b.jsonl, line 1"):
        read_episodes(tmp_path / "b.jsonl", tmp_path)


def test_what_is_in_the_place_of_a_cassette(tmp_path: Path) -> None:
    (tmp_path / "toy" / "a.jsonl").mkdir(parents=True)
    (tmp_path / "file").touch()
    path = tmp_path / "toy" / "a.jsonl"
    with refused("path-is-folder", path):
        read_episodes(path, tmp_path)
    where = tmp_path / "file" / "passkey" / "a.jsonl"
    with refused("path-is-file", tmp_path / "file"):
        read_episodes(where, tmp_path)
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    with refused("not-readable", loop, "Too many levels of symbolic links"):
        read_episodes(loop, tmp_path)


@pytest.mark.parametrize(
    ("was", "now", "why"),
    [
        ('"code":200', '"code":500', "its status is 500"),
        ('"code":200', '"code":"200"', "its status is '200'"),
        ('"version":1', '"version":2', "its version is 2, and this longctx reads version 1"),
        ('"version":1', '"version":null', "its version is None"),
        ('"version":1,', "", "KeyError: 'version'"),
    ],
)
def test_an_episode_of_another_status_or_version_is_no_answer(tmp_path: Path, was: str, now: str, why: str) -> None:
    """docs/security.md, episode-status"""
    file = recorded(tmp_path, line_cell())
    assert was in file.read_text()
    file.write_text(file.read_text().replace(was, now, 1))
    with refused("bad-episode", f"{file}, line 1", why):
        read_episodes(file, tmp_path)
