"""Files of lines: finished lines are kept, whoever wrote them and however the writing ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.json_lines import STEP, append_line, read_lines

HALF = b'{"half": "'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "folder" / "lines.jsonl"


def test_what_was_appended_is_read(path: Path) -> None:
    assert read_lines(path) == ([], False)
    for line in (b"1", b'"two"', b"[3]"):
        append_line(path, line)
    assert path.read_bytes() == b'1\n"two"\n[3]\n'
    assert read_lines(path) == ([b"1", b'"two"', b"[3]"], False)


@given(st.lists(st.sampled_from([b"1", HALF, b"2\n", b"", HALF + b" " * STEP]), max_size=6))
def test_what_others_left_is_mended_before_each_line(
    tmp_path_factory: pytest.TempPathFactory, left: list[bytes]
) -> None:
    """Another run was killed, or the disk was full, between two lines of this run."""
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    expected = []
    append_line(path, b"0")
    for piece in left:
        with path.open("ab") as other:
            other.write(piece)
        expected += [piece.strip()] if piece.strip().isdigit() else []
        append_line(path, b'"mine"')
        expected.append(b'"mine"')
        assert read_lines(path) == ([b"0", *expected], False)


@pytest.mark.parametrize("left", [b"{", HALF, HALF + b" " * STEP])
def test_a_first_line_that_was_cut_short_is_cut(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(left)
    assert read_lines(path) == ([], True)
    append_line(path, b"6")
    assert path.read_bytes() == b"6\n"


def test_a_folder_in_its_place_is_the_systems_own_error(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        append_line(tmp_path, b"1")
