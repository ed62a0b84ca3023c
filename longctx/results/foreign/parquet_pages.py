"""What the pages of a Parquet file unpack to, by their own headers: the file's list of them may say less.

Source: parquet.thrift of parquet-format 2.12 and the compact protocol of Apache Thrift.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

MOST_PAGES = 100_000
"""The most pages of a file, each of which takes longer to read than its size suggests."""
BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 3, 7, 8, 9, 10, 11, 12
UNPACKED, PACKED, DATA, DATA_OF_VERSION_2 = 2, 3, 5, 8
"""The fields of a page's header."""
NUMBER_OF_VALUES = 1
ENCODING = {DATA: 2, DATA_OF_VERSION_2: 4}
"""The fields of the headers of a page's data."""
OF_PREFIXES = 7
"""The encoding DELTA_BYTE_ARRAY, in which a few bytes stand for many long texts."""
DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Page:
    """What the header of a page says."""

    unpacked: int
    """The bytes that it unpacks to; no more are ever written."""
    values: int
    encoding: int


def pages(file: BinaryIO, columns: list[Any]) -> Iterator[Page]:
    """Yield the pages of a file. columns: of each group of rows, as its list has them. Raises ValueError."""
    number = 0
    for column in columns:
        start = column.data_page_offset
        if column.has_dictionary_page and 0 < column.dictionary_page_offset < start:
            start = column.dictionary_page_offset
        file.seek(start)
        while file.tell() < start + column.total_compressed_size:
            if (number := number + 1) > MOST_PAGES:
                raise ValueError(f"it has more than {MOST_PAGES:,} pages")
            header = _struct(file)
            kind = next((kind for kind in ENCODING if isinstance(header.get(kind), dict)), None)
            data = header[kind] if kind else {}
            yield Page(
                _natural(header, UNPACKED),
                _natural(data, NUMBER_OF_VALUES) if kind else 0,
                _natural(data, ENCODING[kind]) if kind else 0,
            )
            file.seek(_natural(header, PACKED), 1)


def _natural(header: dict[int, Any], field: int) -> int:
    value = header.get(field)
    if not isinstance(value, int) or value < 0:
        raise ValueError("the header of one of its pages is damaged")
    return value


def _struct(file: BinaryIO, depth: int = 0) -> dict[int, Any]:
    """Return the numbers and structures of a structure, by their fields."""
    if depth > DEEPEST:
        raise ValueError("the header of one of its pages is damaged")
    found: dict[int, Any] = {}
    field = 0
    while head := _byte(file):
        kind, step = head & 15, head >> 4
        field = field + step if step else _zigzag(file)
        found[field] = None if kind in (1, 2) else _value(file, kind, depth)
    return found


def _value(file: BinaryIO, kind: int, depth: int) -> Any:
    if kind == STRUCT:
        return _struct(file, depth + 1)
    if kind in (LIST, SET, MAP):
        raise ValueError("the header of one of its pages is damaged")  # no page has one
    if kind == BINARY:
        file.seek(_number(file), 1)
    elif kind in (BYTE, DOUBLE):
        file.seek(1 if kind == BYTE else 8, 1)
    else:
        return _zigzag(file)
    return None


def _zigzag(file: BinaryIO) -> int:
    number = _number(file)
    return (number >> 1) ^ -(number & 1)


def _number(file: BinaryIO) -> int:
    number = shift = 0
    while True:
        byte = _byte(file)
        number |= (byte & 127) << shift
        if byte < 128:
            return number
        if (shift := shift + 7) > 63:
            raise ValueError("the header of one of its pages is damaged")


def _byte(file: BinaryIO) -> int:
    if not (read := file.read(1)):
        raise ValueError("it is cut short")
    return read[0]
