"""The rows of a run on disk: one process appends them as they arrive, and orders them when the run ends."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from longctx.errors import UserError
from longctx.fields import parsed
from longctx.files import unwritable
from longctx.json_lines import lines, lines_at
from longctx.redaction import redacted_json
from longctx.results.manifest import damaged_file_error
from longctx.results.row import Row
from longctx.results.trial_view import View, check_view
from longctx.vocabulary.shapes import SHAPES

RESULTS = "results.jsonl"
VIEWS = "views.jsonl"
"""Line n of this file is the view of line n of RESULTS."""
UNFINISHED = "rows.part"
"""The rows of a run that has not ended, in the order of their arrival. A tab separates a row from its view, if any."""


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run: its rows, and its folder, from which views are read when they are needed."""

    rows: list[Row]
    folder: Path

    def views(self, places: Iterable[int] | None = None) -> Iterator[str]:
        """Yield the views of the rows at these places, by default of all, as JSON; empty if a row has no view.

        Raises UserError for a view that is not a valid file of a run.
        """
        chosen = range(len(self.rows)) if places is None else places
        file = self.folder / VIEWS
        for view in lines_at(file, chosen) if file.exists() else ("" for _ in chosen):
            try:
                check_view(view)
            except ValueError as error:
                raise damaged_file_error(file, error) from None
            yield view

    def seen(self) -> list[tuple[Row, dict[str, Any]]]:
        """Return the rows with the fields of their views; an empty dict if a row has no view."""
        return [(row, json.loads(view) if view else {}) for row, view in zip(self.rows, self.views(), strict=True)]


def row_lines(rows: Sequence[Row], views: Sequence[View] = ()) -> list[str]:
    """Return rows, with their views if there are any, as lines for `append`.

    Every encoding can contain the lines: a lone surrogate is written as an escape.
    """
    texts = (
        [
            f"{redacted_json(row.to_json())}\t{redacted_json(view.to_json())}"
            for row, view in zip(rows, views, strict=True)
        ]
        if views
        else None
    )
    return [_encodable(text) for text in texts or (redacted_json(row.to_json()) for row in rows)]


def append(folder: Path, lines: Sequence[str]) -> None:
    """Append lines to the unfinished run in a folder, in one write. Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / UNFINISHED).open("ab") as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        raise unwritable(folder, error) from None


def finish(folder: Path, into: Path | None = None) -> FinishedRun:
    """Finish a run: write its rows in order to `into`, by default the same folder. Raises UserError.

    Equal rows, as of a test that ran twice, count once. Two rows of one trial that differ are refused.
    """
    file, rows = folder / UNFINISHED, {}
    for index, line in enumerate(lines(file)):
        text = line.partition("\t")[0]
        rows[hashlib.sha256(text.encode()).digest()] = row_of(text, folder), index
    ordered = sorted(rows.values(), key=lambda entry: _sort_key(entry[0]))
    check_each_once(folder, (row for row, _ in ordered))
    texts = (line.partition("\t")[::2] for line in lines_at(file, (index for _, index in ordered)))
    return _write(into or folder, [row for row, _ in ordered], texts)


def drop_unfinished(folder: Path) -> None:
    """Delete what `append` wrote."""
    if os.path.lexists(folder / UNFINISHED):
        (folder / UNFINISHED).unlink()


def write(folder: Path, pairs: Iterable[tuple[str, str]]) -> FinishedRun:
    """Write rows and views, given as lines of JSON, in the order that every run has. A view may be empty."""
    with _created(folder / UNFINISHED) as file:
        file.writelines(f"{line}\t{view}\n" for line, view in pairs)
    record = finish(folder)
    drop_unfinished(folder)
    return record


def read(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the rows of a finished run with their views, as `write` takes them. Raises FileNotFoundError."""
    views = lines(folder / VIEWS) if (folder / VIEWS).exists() else ()
    return zip(lines(folder / RESULTS), itertools.chain(views, itertools.repeat("")), strict=False)


def load(folder: Path) -> FinishedRun:
    """Load a finished run. Raises FileNotFoundError if there is none, and UserError as `load_rows` does."""
    return FinishedRun(load_rows(folder), folder)


def load_rows(folder: Path) -> list[Row]:
    """Load the rows of a finished run. Raises FileNotFoundError if there is none; UserError for a trial in two rows."""
    rows = [row_of(line, folder) for line in lines(folder / RESULTS)]
    check_each_once(folder, rows)
    return rows


def row_of(line: str, folder: Path) -> Row:
    """Return the row in a line of the run in a folder. Raises UserError."""
    try:
        return Row.of(parsed(json.loads, line))
    except ValueError as error:
        raise damaged_file_error(folder / RESULTS, error) from None


def check_each_once(folder: Path, rows: Iterable[Row]) -> None:
    """Raise UserError if two rows of a run are of one trial: it would count twice."""
    seen: set[tuple[object, ...]] = set()
    for row in rows:
        if row.identity in seen:
            raise UserError(
                "trial-in-two-rows",
                f"{folder}: trial {row.trial} of {row.test} {row.cell} on {row.subject} occurs twice: two runs "
                "wrote there, or its files were joined. Run it again into its own folder, or merge two runs with "
                "longctx merge.",
            )
        seen.add(row.identity)


def _write(folder: Path, rows: list[Row], texts: Iterable[tuple[str, str]]) -> FinishedRun:
    """Write the texts of the rows and of their views. If all views are empty, no file of views is left."""
    with _created(folder / RESULTS) as results, _created(folder / VIEWS) as views:
        has_views = False
        for line, view in texts:
            results.write(f"{line}\n")
            views.write(f"{view}\n")
            has_views = has_views or bool(view)
    if not has_views:
        (folder / VIEWS).unlink()
    return FinishedRun(rows, folder)


def _created(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _sort_key(row: Row) -> tuple[object, ...]:
    """Return a key that sorts numbers in names by value: lines-5 before lines-10, steps=200 before steps=1000."""
    labels = [(name, _natural(value)) for name, value in sorted(row.labels.items())]
    subject = (row.model, row.prompt_set, SHAPES.index(row.shape), row.server or "", labels)
    question = (_natural(row.cell), row.item or "", row.seed, row.trial, row.repeat)
    return (row.test, *subject, *question)


def _natural(name: str) -> list[str | int]:
    """Split a name into text and numbers, alternating."""
    return [int(part) if index % 2 else part for index, part in enumerate(re.split(r"(\d+)", name))]
