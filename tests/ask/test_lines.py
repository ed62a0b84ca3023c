"""Files of lines: what was finished is kept, whoever wrote it and however it ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.ask.lines import STEP, Appender, read_lines

HALF = b'{"half": "'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "folder" / "lines.jsonl"


def test_what_was_appended_is_read(path: Path) -> None:
    assert read_lines(path) == ([], False)
    appender = Appender()
    for line in (b"1", b'"two"', b"[3]"):
        appender.append(path, line)
    assert path.read_bytes() == b'1\n"two"\n[3]\n'
    assert read_lines(path) == ([b"1", b'"two"', b"[3]"], False)


@given(st.lists(st.sampled_from([b"1", HALF, b"2\n", b"", HALF + b" " * STEP]), max_size=6))
def test_what_others_left_is_mended_before_each_line(
    tmp_path_factory: pytest.TempPathFactory, left: list[bytes]
) -> None:
    """Another run was killed, or the disk was full, between two lines of this one."""
    path, appender = tmp_path_factory.mktemp("lines") / "a.jsonl", Appender()
    expected = []
    appender.append(path, b"0")
    for piece in left:
        with path.open("ab") as other:
            other.write(piece)
        expected += [piece.strip()] if piece.strip().isdigit() else []
        appender.append(path, b'"mine"')
        expected.append(b'"mine"')
        assert read_lines(path) == ([b"0", *expected], False)


def test_a_file_that_was_put_in_its_place_is_read_anew(path: Path) -> None:
    appender = Appender()
    appender.append(path, b"1")
    path.unlink()
    path.write_bytes(b"5\n" + HALF)
    assert read_lines(path) == ([b"5"], True)
    appender.append(path, b"6")
    assert path.read_bytes() == b"5\n6\n"


def test_a_folder_in_its_place_is_the_systems_own_error(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        Appender().append(tmp_path, b"1")
