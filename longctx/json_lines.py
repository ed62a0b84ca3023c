"""Files of JSON lines: lines are appended one by one, and one that a kill cut short does not count."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

STEP = 65_536


def read_lines(path: Path) -> tuple[list[bytes], bool]:
    """Return the lines of a file, and whether the last one is cut short and left out.

    A file that does not exist has no lines. Raises OSError.
    """
    try:
        return split_lines(path.read_bytes())
    except FileNotFoundError:
        return [], False


def split_lines(content: bytes) -> tuple[list[bytes], bool]:
    """Return the lines of a file's content as `read_lines` does."""
    *lines, last = content.split(b"\n")
    whole = _is_json(last)
    return ([*lines, last] if whole else lines), bool(last) and not whole


def append_line(path: Path, line: bytes) -> None:
    """Append a line, which the operating system has when this returns. Raises OSError."""
    try:
        file = path.open("ab+")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab+")
    with file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                _end_last_line(file)
        file.write(line + b"\n")


def _end_last_line(file: BinaryIO) -> None:
    """End the last line if it is complete; remove it if a killed run left it unfinished."""
    size = file.seek(0, os.SEEK_END)
    tail = b""
    while size and b"\n" not in tail:
        step = min(size, STEP)
        size = file.seek(size - step)
        tail = file.read(step) + tail
    last = tail[tail.rfind(b"\n") + 1 :]
    if _is_json(last):
        file.write(b"\n")
    else:
        file.truncate(file.seek(0, os.SEEK_END) - len(last))


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def lines(path: Path) -> Iterator[str]:
    """Yield the complete lines of a file; a last line that a kill or a full disk cut short is left out."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield _text(line)


def lines_at(path: Path, places: Iterable[int]) -> Iterator[str]:
    """Yield the lines at these places, from 0, in the given order; an empty line if the file has fewer."""
    starts = array("q", [0])
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                starts.append(starts[-1] + len(line))
        for place in places:
            file.seek(starts[place] if place < len(starts) - 1 else starts[-1])
            yield _text(file.readline()) if place < len(starts) - 1 else ""


def _text(line: bytes) -> str:
    return line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
