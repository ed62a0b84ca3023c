"""What is said of a file of the tape that holds no episodes. See test_tape.py for those it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.errors import TapeError
from longctx.recording.episodes import read_episodes
from tests.recording.examples import line_case, recorded


def said(path: Path, folder: Path) -> str:
    with pytest.raises(TapeError) as caught:
        read_episodes(path, folder)
    return str(caught.value)


def test_a_file_that_is_not_there_holds_none(tmp_path: Path) -> None:
    assert read_episodes(tmp_path / "toy" / "none.jsonl", tmp_path) == ([], False)


def test_conflict_markers_are_called_that_in_all_files_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "cassettes"
    files = [recorded(folder, line_case(lines)) for lines in (3, 5, 8)]
    for file, end in zip(files[:2], ("\n", "\r\n"), strict=True):
        file.write_bytes(f"<<<<<<< HEAD{end}".encode() + file.read_bytes() + f"={'=' * 6}{end}>>>>>>> b{end}".encode())
    assert said(files[1], folder).startswith(
        "2 cassettes hold the conflict markers of a merge: cassettes/toy/line_retrieval/lines-3.jsonl, "
        "cassettes/toy/line_retrieval/lines-5.jsonl. Keep the answers of both sides: delete the lines that begin with "
    )
    assert len(read_episodes(files[2], folder)[0]) == 2
    files[0].unlink()
    assert said(files[1], folder).startswith("1 cassette holds the conflict markers of a merge: cass")


def test_of_many_files_the_first_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(25):
        (tmp_path / f"{number:02}.jsonl").write_text("<<<<<<< HEAD\n")
    text = said(tmp_path / "24.jsonl", tmp_path)
    assert "merge: 00.jsonl, 01.jsonl" in text
    assert ", 19.jsonl and 5 more. Keep" in text


def test_a_line_that_is_no_episode_is_not_blamed_on_the_markers_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("<<<<<<< HEAD\n")
    (tmp_path / "b.jsonl").write_text("{}\n")
    assert "b.jsonl, line 1, is no episode" in said(tmp_path / "b.jsonl", tmp_path)


def test_what_stands_in_the_place_of_a_cassette(tmp_path: Path) -> None:
    (tmp_path / "toy" / "a.jsonl").mkdir(parents=True)
    (tmp_path / "file").touch()
    path = tmp_path / "toy" / "a.jsonl"
    assert said(path, tmp_path) == f"{path} is a folder, where a file of recordings belongs: move it away."
    where = tmp_path / "file" / "passkey" / "a.jsonl"
    assert said(where, tmp_path) == f"{tmp_path / 'file'} is a file, where a folder belongs: move it away."
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    assert said(loop, tmp_path) == f"{loop} cannot be read: Too many levels of symbolic links."
