"""A run's rows on disk: each process appends to its own part; the parts are merged when the run ends."""

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


def append(folder: Path, worker: str, rows: Sequence[Row], views: Sequence[View] = ()) -> None:
    """Add the rows of one scenario in one write, after the views of each: a killed worker leaves whole rows.
    Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind, items in (("views", views), ("rows", rows)):
            if items:
                text = "".join(f"{item.to_json()}\n" for item in items)
                with (folder / f"{kind}-{worker or 'main'}.jsonl").open("ab") as file:
                    file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise unwritable(folder, error) from None


def parts(folder: Path) -> list[Path]:
    """The files of rows that the processes of an unfinished run have written so far."""
    return sorted(folder.glob("rows-*.jsonl"))


def merge(folder: Path, into: Path | None = None) -> pd.DataFrame:
    """Make the parts of all workers one run in another folder, or in the same. A trial measured twice counts once."""
    pairs: dict[str, str] = {}
    for part in parts(folder):
        pairs |= dict(_pairs(part, part.with_name(part.name.replace("rows-", "views-", 1))))
    return write(into or folder, list(pairs.items()))


def drop_parts(folder: Path) -> None:
    """Delete what `append` wrote."""
    for part in (*parts(folder), *folder.glob("views-*.jsonl")):
        part.unlink()


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
