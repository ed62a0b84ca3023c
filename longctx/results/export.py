"""A run's rows for other programs: CSV for spreadsheets, Parquet for data frames; the same columns, with types.

CSV is opened by spreadsheets, which run what begins like a formula, and by terminals: text in it is made harmless.
Source: OWASP, "CSV Injection", https://owasp.org/www-community/attacks/CSV_Injection. Parquet keeps text as it was.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.results.row import KEPT, Row
from longctx.visible import visible
from longctx.vocabulary.scenario import MEASURED

if TYPE_CHECKING:
    import pandas as pd

CSV = "results.csv"
PARQUET = "results.parquet"

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a formula begins with, in both widths; a tab or a line end, which hide one, are escapes by then."""


def export(folder: Path, rows: Sequence[Row]) -> None:
    """Write both beside the run's rows."""
    frame = typed(rows)
    to_csv(frame, folder / CSV)
    to_parquet(frame, folder / PARQUET)


def typed(rows: Sequence[Row]) -> pd.DataFrame:
    """One row a trial, a column for each field of Row, and `correct`, null where nothing was measured.

    Whole numbers are Int64, others Float64, times datetime64 in UTC; what was never known is null. Mappings are
    JSON text.
    """
    import pandas as pd

    columns: dict[str, Any] = {}
    for field in dataclasses.fields(Row):
        if field.name not in KEPT:
            continue
        values = [getattr(row, field.name) for row in rows]
        kind = "time" if field.name == "recorded_at" else str(field.type).partition(" ")[0].partition("[")[0]
        match kind:
            case "int":
                columns[field.name] = pd.array([_whole(value) for value in values], dtype="Int64")
            case "float":
                columns[field.name] = pd.array(values, dtype="Float64")
            case "time":
                columns[field.name] = pd.to_datetime(pd.Series(values, dtype=object), utc=True, errors="coerce")
            case "Mapping":
                columns[field.name] = _text([_json(value or {}) for value in values])
            case _:
                columns[field.name] = _text([None if value is None else _utf8(str(value)) for value in values])
        if field.name == "outcome":
            known = [value == "correct" if value in MEASURED else None for value in values]
            columns["correct"] = pd.array(known, dtype="boolean")
    return pd.DataFrame(columns)


def to_csv(frame: pd.DataFrame, path: Path) -> None:
    """frame: as `typed` makes it."""
    safe = frame.copy(deep=False)
    texts: list[str] = frame.select_dtypes("string").columns.tolist()
    for name in texts:
        safe[name] = frame[name].map(cell, na_action="ignore")
    safe.to_csv(path, index=False, date_format="%Y-%m-%dT%H:%M:%SZ", encoding="utf-8", lineterminator="\n")


def to_parquet(frame: pd.DataFrame, path: Path) -> None:
    """frame: as `typed` makes it."""
    frame.to_parquet(path, index=False, engine="pyarrow", compression="zstd")


def cell(text: str) -> str:
    """Text that is no formula in a spreadsheet, on one line, with nothing unseen in it."""
    seen = visible(text)
    return f"'{seen}" if seen.lstrip().startswith(FORMULA) else seen


def _text(values: list[str | None]) -> Any:
    import pandas as pd

    return pd.array(values, dtype=pd.StringDtype())


def _json(value: Any) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f")


def _utf8(text: str) -> str:
    """What a file can hold: a lone surrogate becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _whole(value: int | None) -> int | None:
    """None for what 64 bits do not hold, which no honest server counts."""
    return value if value is not None and abs(value) < 2**63 else None
