"""A run's rows on disk: appended as they come, by one process, and put in order when the run ends."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longctx.files import unwritable
from longctx.results.row import Row
from longctx.results.view import View

RESULTS = "results.jsonl"
VIEWS = "views.jsonl"
"""Line n belongs to line n of RESULTS."""
UNFINISHED = "rows.part"
"""The rows so far of a run that has not ended, in the order in which they came: a line each, with its view after a tab
where it has one."""


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run. views: what is to be seen of each row, as a line of JSON; empty where nothing was kept."""

    rows: list[Row]
    views: list[str]

    def seen(self) -> list[tuple[Row, dict[str, Any]]]:
        """The rows with the fields of their views; an empty dict where nothing was kept."""
        return [(row, json.loads(view) if view else {}) for row, view in zip(self.rows, self.views, strict=True)]


def as_lines(rows: Sequence[Row], views: Sequence[View] = ()) -> list[str]:
    """Rows, with the view of each where there are views, as lines for `append`. They can be sent anywhere: a lone
    surrogate, which no encoding takes, is written as JSON's escape."""
    texts = [f"{row.to_json()}\t{view.to_json()}" for row, view in zip(rows, views, strict=True)] if views else None
    return [_encodable(text) for text in texts or (row.to_json() for row in rows)]


def append(folder: Path, lines: Sequence[str]) -> None:
    """Add lines in one write. Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / UNFINISHED).open("ab") as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        raise unwritable(folder, error) from None


def merge(folder: Path, into: Path | None = None) -> FinishedRun:
    """Finish a run in another folder, or in the same. A trial that was measured twice counts once."""
    parts = (line.partition("\t") for line in _lines(folder / UNFINISHED))
    return write(into or folder, list({row: view for row, _, view in parts}.items()))


def drop_unfinished(folder: Path) -> None:
    """Delete what `append` wrote."""
    if (folder / UNFINISHED).exists():
        (folder / UNFINISHED).unlink()


def write(folder: Path, pairs: Sequence[tuple[str, str]]) -> FinishedRun:
    """Write rows with their views (lines of JSON; a view may be empty) in the order that every run has."""
    ordered = sorted(((Row.of(json.loads(line)), line, view) for line, view in pairs), key=lambda one: _place(one[0]))
    with (folder / RESULTS).open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for _, line, _ in ordered)
    if any(view for _, _, view in ordered):
        with (folder / VIEWS).open("w", encoding="utf-8") as file:
            file.writelines(f"{view}\n" for _, _, view in ordered)
    return FinishedRun([row for row, _, _ in ordered], [view for _, _, view in ordered])


def read(folder: Path) -> list[tuple[str, str]]:
    """The rows of a finished run with their views, as `write` takes them. Raises FileNotFoundError."""
    return _pairs(folder / RESULTS, folder / VIEWS)


def load(folder: Path) -> FinishedRun:
    """A finished run. Raises FileNotFoundError where there is none."""
    pairs = read(folder)
    return FinishedRun([Row.of(json.loads(row)) for row, _ in pairs], [view for _, view in pairs])


def load_rows(folder: Path) -> list[Row]:
    """The rows of a finished run. Raises FileNotFoundError where there is none."""
    return [Row.of(json.loads(line)) for line in _lines(folder / RESULTS)]


def _pairs(rows: Path, views: Path) -> list[tuple[str, str]]:
    kept = _lines(rows)
    seen = _lines(views) if views.exists() else []
    return list(zip(kept, [*seen, *[""] * (len(kept) - len(seen))], strict=False))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _lines(path: Path) -> list[str]:
    """The whole lines of a file: what a kill or a full disk cut short is no row."""
    *whole, _ = path.read_bytes().split(b"\n")  # a text with one wide character takes two or four bytes for each
    return [line.removesuffix(b"\r").decode("utf-8", "replace") for line in whole]


def _place(row: Row) -> tuple[object, ...]:
    """Sorts numbers in names by value: lines-5 before lines-10, steps=200 before steps=1000."""
    labels = [(name, _natural(value)) for name, value in sorted(row.labels.items())]
    subject = (row.model, row.prompt_set, labels)
    question = (_natural(row.scenario), row.item or "", row.seed, row.trial, row.repeat)
    return (row.family, *subject, *question)


def _natural(name: str) -> list[str | int]:
    """Text and numbers by turns."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", name))]
