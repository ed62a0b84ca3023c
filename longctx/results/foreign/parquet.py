"""Rows of Parquet files, as data frames write them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longctx.config.project_files import check_size
from longctx.errors import UserError
from longctx.extras import require
from longctx.results.foreign.parquet_pages import OF_PREFIXES, pages
from longctx.results.records import MOST_UNPACKED, Entry

MOST_ROWS = 200_000
MOST_LEAVES = 4_000_000
"""The most values of a file."""
BATCH = 256
"""How many rows are decoded at once, each of which may be as large as a page of the file."""


def parquet_rows(path: Path) -> Iterator[Entry]:
    """Yield the rows of a file. Raises UserError, and ValueError if it is damaged or would fill the memory."""
    require("A Parquet file", "pyarrow")
    check_size(path)
    pyarrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            _check(path, file.metadata)
        texts = _texts(file.schema)
        with parquet.ParquetFile(path, read_dictionary=texts) as file:
            number, room = 0, MOST_UNPACKED
            for batch in file.iter_batches(BATCH, use_threads=False):
                room -= sum(map(_bytes, batch.columns))
                if room < 0:
                    raise ValueError(f"it unpacks to more than {MOST_UNPACKED:,} bytes")
                for row in batch.to_pylist():
                    number += 1
                    yield Entry(f"row {number:,}", row)
    except (pyarrow.ArrowException, OSError, RecursionError, MemoryError) as error:
        raise ValueError(f"it cannot be read as Parquet ({str(error)[:200]})") from None


def _check(path: Path, metadata: Any) -> None:
    """Raise an error for a file that would fill the memory, by its list of pages, and by their own headers."""
    if metadata.num_rows > MOST_ROWS:
        raise UserError("file-too-large", f"A Parquet file with {metadata.num_rows:,} rows is too large: split it.")
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    if sum(column.total_uncompressed_size for column in columns) > MOST_UNPACKED:
        raise ValueError(f"it unpacks to more than {MOST_UNPACKED:,} bytes")
    if sum(column.num_values for column in columns) > MOST_LEAVES:
        raise ValueError(f"it has more than {MOST_LEAVES:,} values")
    unpacked = values = 0
    with path.open("rb") as file:
        for page in pages(file, columns):
            unpacked, values = unpacked + page.unpacked, values + page.values
            if unpacked > MOST_UNPACKED:
                raise ValueError(f"it unpacks to more than {MOST_UNPACKED:,} bytes")
            if values > MOST_LEAVES:
                raise ValueError(f"it has more than {MOST_LEAVES:,} values")
            if page.encoding == OF_PREFIXES:
                raise ValueError("it has texts in the encoding DELTA_BYTE_ARRAY: write it with the usual ones")


def _texts(schema: Any) -> list[str]:
    """Return the columns of texts, which stay dictionaries when they are read: one long text may occur in each row."""
    columns = (schema.column(number) for number in range(len(schema)))
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def _bytes(array: Any) -> int:
    """Return how many bytes the texts and numbers of a column have once each row has its own."""
    kind = array.type
    types: Any = importlib.import_module("pyarrow").types
    if types.is_dictionary(kind):
        sizes = [
            len(value.as_buffer() if hasattr(value, "as_buffer") and value.is_valid else b"") + 64
            for value in array.dictionary
        ]
        return sum(sizes[index] for index in array.indices.to_pylist() if index is not None)
    if types.is_list(kind) or types.is_large_list(kind):
        return 64 * len(array) + _bytes(array.flatten())
    if types.is_struct(kind):
        return 64 * len(array) + sum(map(_bytes, array.flatten()))
    return 64 * len(array) + int(array.nbytes)
