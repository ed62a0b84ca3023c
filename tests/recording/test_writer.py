"""One run at a time records into a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from longctx.recording.tape import only_writer
from tests.refusals import refused

HOLD = """
import os, sys, pathlib
import pytest

from longctx.recording.tape import only_writer
with only_writer(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_run_is_refused_until_the_first_ends_or_is_killed(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "held\n"
    with refused("recording-locked", tmp_path / "c"), only_writer(tmp_path / "c"):
        pass
    first.kill()
    first.communicate()
    with only_writer(tmp_path / "c"):
        pass
    with only_writer(tmp_path / "c"):
        pass


def test_a_folder_that_cannot_be_written_to_is_no_matter_yet(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with only_writer(tmp_path / "file" / "c"):
        pass


def _link(lock: Path) -> None:
    lock.symlink_to(lock.with_name("elsewhere"))


@pytest.mark.parametrize("spoil", [_link, os.mkdir])
def test_a_folder_that_cannot_be_locked_is_refused_unless_the_user_goes_without(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    spoil(tmp_path / ".lock")
    with refused("not-lockable", tmp_path / ".lock", "two runs could pay", "lock = false"), only_writer(tmp_path):
        pass
    assert not (tmp_path / "elsewhere").exists()
    with only_writer(tmp_path, lock=False):
        pass
