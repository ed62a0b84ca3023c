"""A run's rows on disk: appended as they come, by one process, and put in order when the run ends."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.files import unwritable
from longctx.results.row import Row
from longctx.results.view import View

if TYPE_CHECKING:
    import pandas as pd

RESULTS = "results.jsonl"
VIEWS = "views.jsonl"
"""Line n belongs to line n of RESULTS."""
UNFINISHED = "rows.part"
"""The rows so far of a run that has not ended, in the order in which they came: a line each, with its view after a tab
where it has one."""


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


def merge(folder: Path, into: Path | None = None) -> pd.DataFrame:
    """Finish a run in another folder, or in the same. A trial that was measured twice counts once."""
    found = (line.partition("\t") for line in _lines(folder / UNFINISHED))
    return write(into or folder, list({row: view for row, _, view in found}.items()))


def drop_unfinished(folder: Path) -> None:
    """Delete what `append` wrote."""
    if (folder / UNFINISHED).exists():
        (folder / UNFINISHED).unlink()


def write(folder: Path, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Write rows with their views (lines of JSON; a view may be empty) in the order that every run has."""
    found = sorted(((json.loads(row), row, view) for row, view in pairs), key=lambda one: _place(one[0]))
    (folder / RESULTS).write_text("".join(f"{row}\n" for _, row, _ in found), encoding="utf-8")
    if any(view for _, _, view in found):
        (folder / VIEWS).write_text("".join(f"{view}\n" for _, _, view in found), encoding="utf-8")
    return as_frame([row for row, _, _ in found])


def read(folder: Path) -> list[tuple[str, str]]:
    """The rows of a finished run with their views, as `write` takes them. Raises FileNotFoundError."""
    return _pairs(folder / RESULTS, folder / VIEWS)


def load(folder: Path) -> pd.DataFrame:
    """The rows of a finished run. Raises FileNotFoundError where there is none."""
    return as_frame(load_rows(folder))


def load_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of a finished run, as fields of Row. Raises FileNotFoundError."""
    return [json.loads(line) for line in _lines(folder / RESULTS)]


def load_views(folder: Path) -> list[dict[str, Any]]:
    """What is to be seen of each row, as fields of View; an empty dict where nothing was kept."""
    return [json.loads(view) if view else {} for _, view in read(folder)]


def as_frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """One row a trial, a column for each field of Row.

    Strings are Python's own: Arrow's, which pandas takes where pyarrow is installed, cannot hold a lone surrogate.
    """
    import pandas as pd

    with pd.option_context("mode.string_storage", "python"):
        return pd.DataFrame(rows, columns=[field.name for field in dataclasses.fields(Row)])


def _pairs(rows: Path, views: Path) -> list[tuple[str, str]]:
    kept = _lines(rows)
    seen = _lines(views) if views.exists() else []
    return list(zip(kept, [*seen, *[""] * (len(kept) - len(seen))], strict=False))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _lines(path: Path) -> list[str]:
    """The whole lines of a file: what a kill or a full disk cut short is no row."""
    *whole, _ = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return whole


def _place(row: dict[str, Any]) -> tuple[object, ...]:
    """Sorts numbers in names by value: lines-5 before lines-10, steps=200 before steps=1000."""
    labels = [(name, _natural(value)) for name, value in sorted(row["labels"].items())]
    subject = (row["model"], row["prompt_set"], labels)
    question = (_natural(row["scenario"]), row["item"] or "", row["seed"], row["trial"], row["repeat"])
    return (row["family"], *subject, *question)


def _natural(name: str) -> list[str | int]:
    """Text and numbers by turns."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", name))]
