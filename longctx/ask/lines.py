"""Files of JSON lines that only grow, and whose last line a killed run may have left unfinished."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import BinaryIO

STEP = 65_536


def read_lines(path: Path) -> tuple[list[bytes], bool]:
    """The lines of a file that may not exist; and whether its last one is cut short, and left out."""
    if not path.is_file():
        return [], False
    *lines, last = path.read_bytes().split(b"\n")
    whole = _is_json(last)
    return ([*lines, last] if whole else lines), bool(last) and not whole


class Appender:
    """Appends lines. Whether a file's last line was finished is seen by its size, if this wrote it, and else read."""

    def __init__(self) -> None:
        self._sizes: dict[Path, int] = {}

    def append(self, path: Path, line: bytes) -> None:
        """With the operating system when this returns. Raises OSError."""
        try:
            file = path.open("ab", buffering=STEP)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("ab", buffering=STEP)
        with file:
            if file.tell() != self._sizes.get(path, 0):
                _end_last_line(path, file)
            file.write(line + b"\n")
            file.flush()
            self._sizes[path] = file.tell()


def _end_last_line(path: Path, file: BinaryIO) -> None:
    """A killed run's half answer is cut, a whole one kept."""
    last = _last_line(path)
    if _is_json(last):
        file.write(b"\n")
    elif last:
        file.truncate(file.seek(0, os.SEEK_END) - len(last))


def _last_line(path: Path) -> bytes:
    """What stands after the last end of a line."""
    with path.open("rb") as file:
        start = file.seek(0, os.SEEK_END)
        tail = b""
        while start and b"\n" not in tail:
            step = min(start, STEP)
            start = file.seek(start - step)
            tail = file.read(step) + tail
    return tail[tail.rfind(b"\n") + 1 :]


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
