"""The lines of a run's files, read one at a time because the files of a long run are large."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path


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
