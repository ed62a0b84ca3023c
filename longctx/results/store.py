"""A run's rows on disk: each process appends to its own part; the parts are merged when the run ends."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.results.row import Row

if TYPE_CHECKING:
    import pandas as pd

RESULTS = "results.jsonl"


def append(folder: Path, worker: str, rows: Sequence[Row]) -> None:
    """Add the rows of one scenario in one write: a killed worker leaves whole rows."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{row.to_json()}\n" for row in rows)
    with (folder / f"rows-{worker or 'main'}.jsonl").open("ab") as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def merge(folder: Path) -> pd.DataFrame:
    """The rows of all parts, written to results.jsonl in the same order whatever the workers; the parts go."""
    parts = sorted(folder.glob("rows-*.jsonl"))
    rows = sorted(
        ((json.loads(line), line) for part in parts for line in _lines(part)), key=lambda pair: _place(pair[0])
    )
    (folder / RESULTS).write_text("".join(f"{line}\n" for _, line in rows), encoding="utf-8")
    for part in parts:
        part.unlink()
    return as_frame([row for row, _ in rows])


def load(folder: Path) -> pd.DataFrame:
    """The rows of a finished run. Raises FileNotFoundError where there is none."""
    return as_frame([json.loads(line) for line in _lines(folder / RESULTS)])


def as_frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """One row a trial, a column for each field of Row."""
    import pandas as pd

    return pd.DataFrame(rows, columns=[field.name for field in dataclasses.fields(Row)])


def _lines(path: Path) -> list[str]:
    """The whole lines of a file: what a kill or a full disk cut short is no row."""
    *whole, _ = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return whole


def _place(row: dict[str, Any]) -> tuple[object, ...]:
    """Sorts numbers in names by value: lines-5 before lines-10."""
    name = re.split(r"(\d+)", row["scenario"])
    natural = [int(part) if part.isdigit() else part for part in name]
    return (row["family"], row["model"], row["prompt_set"], natural, row["item"] or "", row["trial"], row["repeat"])
