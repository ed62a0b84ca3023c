"""How the file of a baseline begins, by which it is known among the files of other tools."""

from __future__ import annotations

from pathlib import Path

HEAD = '{"schema":'
"""The beginning of the line that a run's manifest is in."""


def is_baseline(path: Path) -> bool:
    """Return whether a path is a file that begins as a baseline does."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(HEAD)) == HEAD.encode()
