"""The export of a run's rows to CSV for spreadsheets and to Parquet for data frames, with the same typed columns.

Spreadsheets execute text that begins like a formula, and terminals obey control characters: text in CSV is made
harmless (OWASP, "CSV Injection", https://owasp.org/www-community/attacks/CSV_Injection). Parquet keeps text unchanged.
"""

from __future__ import annotations

import contextlib
import csv as comma_separated
import dataclasses
import datetime
import functools
import io
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.extras import require
from longctx.fields import plain
from longctx.results.row import KEPT, Row
from longctx.text import visible
from longctx.vocabulary.point import MEASURED

if TYPE_CHECKING:
    from pyarrow import Schema

CSV = "results.csv"
PARQUET = "results.parquet"
PART = 5000
"""The number of rows that are written to Parquet at once."""
PANDAS = {"int": "Int64", "float": "Float64", "bool": "boolean", "text": "string", "mapping": "string"}
"""The types that pandas gives the columns when it reads Parquet, in which a value may be unknown."""

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The characters that begin a formula, in both widths. Tabs and line ends, which can hide one, are escaped before."""


def export(rows: Sequence[Row], csv: Path | None = None, parquet: Path | None = None) -> None:
    """Write rows to these files: a column for each field of Row, and `correct`, unknown if nothing was measured.

    Times are in UTC, and mappings JSON text; unknown values are null, or empty in CSV. Raises UserError if Parquet is
    asked for without pyarrow.
    """
    if parquet:
        require("Writing Parquet", "pyarrow")
    if csv:
        with csv.open("w", encoding="utf-8", newline="") as file:
            writer = comma_separated.writer(file, lineterminator="\n")
            writer.writerow(name for name, _ in _columns())
            writer.writerows(map(_cells, rows))
    if parquet:
        _write_parquet(rows, parquet)


@functools.cache
def _columns() -> tuple[tuple[str, str], ...]:
    """Return the name and the kind of each column: int, float, time, bool, mapping or text."""
    columns = []
    for field in dataclasses.fields(Row):
        name = field.name
        if name not in KEPT:
            continue
        declared = plain(field.type).partition(" ")[0].partition("[")[0]
        known = {"int": "int", "float": "float", "Mapping": "mapping"}
        columns.append((name, "time" if name == "recorded_at" else known.get(declared, "text")))
        if field.name == "outcome":
            columns.append(("correct", "bool"))
    return tuple(columns)


def _values(row: Row) -> list[Any]:
    """Return the value of each column of a row, of its type; None if it is unknown."""
    return [
        (row.outcome == "correct" if row.outcome in MEASURED else None)
        if name == "correct"
        else TYPED[kind](getattr(row, name))
        for name, kind in _columns()
    ]


def _cells(row: Row) -> list[Any]:
    """Return the cells of a row; the writer leaves None empty."""
    kinds = (kind for _, kind in _columns())
    return [
        SHOWN_AS[kind](value) if kind in SHOWN_AS and value is not None else value
        for kind, value in zip(kinds, _values(row), strict=True)
    ]


def _write_parquet(rows: Sequence[Row], file: Path) -> None:
    """Write rows part by part: the columns of a long run take several times the memory of its rows.

    Arrow reads the values as JSON, since it imports pandas, which takes longer than all else, to read Python's.
    """
    from pyarrow.json import ParseOptions, ReadOptions, read_json
    from pyarrow.parquet import ParquetWriter

    schema, names = _schema(), [name for name, _ in _columns()]
    # Python opens the file, since Arrow takes no path that the locale cannot write.
    with file.open("wb") as sink, contextlib.closing(ParquetWriter(sink, schema, compression="zstd")) as writer:
        for start in range(0, len(rows), PART):
            part = rows[start : start + PART]
            lines = [json.dumps(dict(zip(names, _values(row), strict=True)), default=str) for row in part]
            data = "\n".join(lines).encode()
            reading = ReadOptions(use_threads=False, block_size=len(data) + 1)
            table = read_json(io.BytesIO(data), reading, ParseOptions(explicit_schema=schema))
            writer.write_table(table.cast(schema))


def _schema() -> Schema:
    """Return the types of the columns, with the metadata by which pandas reads integers with gaps as integers."""
    import pyarrow

    types = {
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", "UTC"),
    }
    about = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": PANDAS[kind], "metadata": None}
        for name, kind in _columns()
        if kind in PANDAS
    ]
    pandas = {"index_columns": [], "column_indexes": [], "columns": about, "pandas_version": "3.0.0"}
    fields = [(name, types.get(kind, pyarrow.large_string())) for name, kind in _columns()]
    return pyarrow.schema(fields, metadata={"pandas": json.dumps(pandas)})


@functools.lru_cache(10_000)
def cell(text: str) -> str:
    """Return the text on one line, with invisible characters escaped and a quote before what begins like a formula."""
    shown = visible(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown


def _mapping(value: Any) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f") if value else "{}"


def _int(value: int | None) -> int | None:
    return value if value is None or abs(value) < 2**63 else None  # which no real count exceeds


def _float(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _text(value: object) -> str | None:
    """Return the text with lone surrogates, which UTF-8 cannot encode, as escapes."""
    if value is None:
        return None
    text = str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


@functools.lru_cache(10_000)
def _time(text: str | None) -> datetime.datetime | None:
    """Return a time in UTC; None if the text is not a time."""
    try:
        time = datetime.datetime.fromisoformat(text or "")
        return (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None


def _shown_time(time: datetime.datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


TYPED: dict[str, Callable[[Any], Any]] = {
    "mapping": _mapping,
    "int": _int,
    "float": _float,
    "time": _time,
    "text": _text,
}
"""Converts a field of a row to a value of its column, by the column's kind."""
SHOWN_AS: dict[str, Callable[[Any], str]] = {"text": cell, "mapping": cell, "time": _shown_time}
"""What shows a value in CSV, for the kinds that the standard library does not."""
