"""A file, or a folder of files, is written whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from longctx.files import _part, check_writable, whole_folder, write_file
from tests.refusals import refused

NOWHERE = Path("/proc/nothing/run")
"""A folder that not even root can create."""


def test_a_file_replaces_another_when_it_is_complete(tmp_path: Path) -> None:
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


KILLED = """
import os, signal, sys
from pathlib import Path
from longctx.files import whole_folder, write_file

def fill(part):
    part.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)

folder = Path(sys.argv[1])
if sys.argv[2] == "file":
    write_file(folder / "file", fill)
with whole_folder(folder, "last") as part:
    fill(part / "file")
"""


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, kind: str) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, tmp_path, kind]).returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".*.part"))) == 1
    if kind == "file":
        write_file(tmp_path / "file", lambda part: part.write_text("complete"))
    else:
        with whole_folder(tmp_path, "last") as part:
            (part / "file").write_text("complete")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_nothing_else_is_removed(tmp_path: Path) -> None:
    """Neither what a running process fills, here or elsewhere, nor files of the user, nor what a link names."""
    foreign, old, mine = tmp_path / ".0123abcd-1.part", tmp_path / ".file.0123abcd-77.part", tmp_path / "mine"
    running = _part(tmp_path, "other")
    kept = [foreign, running, mine, tmp_path / ".notes.part", tmp_path / ".7x.part", tmp_path / "7.part"]
    for path in (*kept, old):
        path.write_text("")
    link = tmp_path / ".0123abcd-2.part"
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "precious").write_text("")
    link.symlink_to(tmp_path / "folder")
    for path in (old, link, *kept[2:]):
        os.utime(path, (0, 0), follow_symlinks=False)
    write_file(tmp_path / "file", lambda part: part.write_text("complete"))
    assert {*tmp_path.rglob("*")} == {*kept, tmp_path / "file", tmp_path / "folder", tmp_path / "folder" / "precious"}


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
