"""The export of a run's rows to CSV for spreadsheets and to Parquet for data frames, with the same typed columns.

Spreadsheets execute text that begins like a formula, and terminals obey control characters: text in CSV is made
harmless (OWASP, "CSV Injection", https://owasp.org/www-community/attacks/CSV_Injection). Parquet keeps text unchanged.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.fields import plain
from longctx.results.row import KEPT, Row
from longctx.visible import visible
from longctx.vocabulary.scenario import MEASURED

if TYPE_CHECKING:
    import pandas as pd

CSV = "results.csv"
PARQUET = "results.parquet"
CSV_FORMAT: dict[str, Any] = {
    "index": False,
    "date_format": "%Y-%m-%dT%H:%M:%SZ",
    "encoding": "utf-8",
    "lineterminator": "\n",
}
PART = 5000
"""The number of rows that are written at once."""

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The characters that begin a formula, in both widths. Tabs and line ends, which can hide one, are escaped before."""


def export(rows: Sequence[Row], csv: Path | None = None, parquet: Path | None = None) -> None:
    """Write rows to these files, part by part: a frame of a long run takes several times the memory of its rows."""
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    with contextlib.ExitStack() as stack:
        writer = None
        for start in range(0, max(len(rows), 1), PART):
            frame = typed(rows[start : start + PART])
            if csv:
                _as_csv(frame).to_csv(csv, mode="a" if start else "w", header=not start, **CSV_FORMAT)
            if parquet:
                table = Table.from_pandas(frame, preserve_index=False)
                writer = writer or stack.enter_context(ParquetWriter(parquet, table.schema, compression="zstd"))
                writer.write_table(table)


def typed(rows: Sequence[Row]) -> pd.DataFrame:
    """Return a frame with a column for each field of Row, and `correct`, which is null if nothing was measured.

    Integers are Int64, other numbers Float64, times datetime64 in UTC, and mappings JSON text; unknown values are null.
    """
    import pandas as pd

    columns: dict[str, Any] = {}
    for field in dataclasses.fields(Row):
        if field.name not in KEPT:
            continue
        values = [getattr(row, field.name) for row in rows]
        kind = "time" if field.name == "recorded_at" else plain(field.type).partition(" ")[0].partition("[")[0]
        match kind:
            case "int":
                columns[field.name] = pd.array([_whole(value) for value in values], dtype="Int64")
            case "float":
                columns[field.name] = pd.array(values, dtype="Float64")
            case "time":
                times = pd.to_datetime(pd.Series(values, dtype=object), utc=True, errors="coerce")
                columns[field.name] = times.dt.as_unit("us")
            case "Mapping":
                columns[field.name] = _text([_json(value or {}) for value in values])
            case _:
                columns[field.name] = _text([None if value is None else _utf8(str(value)) for value in values])
        if field.name == "outcome":
            known = [value == "correct" if value in MEASURED else None for value in values]
            columns["correct"] = pd.array(known, dtype="boolean")
    return pd.DataFrame(columns)


def _as_csv(frame: pd.DataFrame) -> pd.DataFrame:
    safe = frame.copy(deep=False)
    texts: list[str] = frame.select_dtypes("string").columns.tolist()
    for name in texts:
        safe[name] = frame[name].map(cell, na_action="ignore")
    return safe


def cell(text: str) -> str:
    """Return the text on one line, with invisible characters escaped and a quote before what begins like a formula."""
    shown = visible(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown


def _text(values: list[str | None]) -> Any:
    import pandas as pd

    return pd.array(values, dtype=pd.StringDtype())


def _json(value: Any) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f")


def _utf8(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot encode, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _whole(value: int | None) -> int | None:
    """Return the value; None if it does not fit into 64 bits, which no real count exceeds."""
    return value if value is not None and abs(value) < 2**63 else None
