"""A file, or a folder of files, is written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.files import check_writable, whole_folder, write_file
from tests.refusals import refused

NOWHERE = Path("/proc/nothing/run")
"""A folder that not even root can create."""


def test_a_file_replaces_another_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")

    def fail(part: Path) -> None:
        part.write_text("half")
        Path("/dev/full").write_text("the rest")

    with refused("not-writable", "No space left on device"):
        write_file(path, fail)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("file", "before")]


def test_a_files_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_file(path, lambda part: part.write_text("whole"))
    assert path.read_text() == "whole"
    for place in (NOWHERE / "file", path / "file"):
        with refused("not-writable", "/file"):
            write_file(place, lambda part: part.write_text("whole"))


def test_a_folder_is_filled(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "run"
    with whole_folder(folder, "last") as part:
        (part / "last").write_text("1")
        (part / "sub").mkdir()
        (part / "sub" / "file").write_text("2")
        assert not (folder / "last").exists()
    assert sorted(path.name for path in folder.iterdir()) == ["last", "sub"]


def test_what_an_unfinished_run_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "old").write_text("")
    (tmp_path / "mine").write_text("kept")
    with whole_folder(tmp_path, "last") as part:
        (part / "sub").mkdir()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["mine", "sub"]


def test_a_folder_that_is_not_whole_is_not_there(tmp_path: Path) -> None:
    def fill(error: Exception) -> None:
        with whole_folder(tmp_path / "a" / "run", "last") as part:
            (part / "file").write_text("half")
            raise error

    with refused("not-writable", tmp_path / "a" / "run", "No space left on device"):
        fill(OSError(28, "Detail: no space"))
    assert not (tmp_path / "a").exists()
    with pytest.raises(ValueError, match="something else"):
        fill(ValueError("something else"))
    assert not (tmp_path / "a").exists()


def test_a_folder_is_tried_without_a_trace(tmp_path: Path) -> None:
    check_writable(tmp_path / "a" / "run")
    check_writable(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused("not-writable", "/run"):
        check_writable(tmp_path / "file" / "run")
    with refused("not-writable", "/proc/nothing/run"):
        check_writable(NOWHERE)
