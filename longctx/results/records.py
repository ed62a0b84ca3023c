"""Records of a file that people bring: JSON lines, a JSON document or array, CSV or TSV, each also gzipped.

Their JSON is read strictly: what it leaves open is refused. The logs of other programs are read one line at a time,
since they may be long, and may be cut.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import math
import re
import shlex
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from longctx.config.project_files import check_size, read_text, reading
from longctx.errors import UserError
from longctx.fields import parsed
from longctx.text import visible

GZIP = b"\x1f\x8b"
PACKED = {rb"\x28\xb5\x2f\xfd": "zstd -dk", rb"BZh[1-9]1AY&SY": "bzip2 -dk", rb"\xfd7zXZ\x00": "xz -dk"}
"""Match the beginnings of files in compressions that are not read, and what unpacks them."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOST_UNPACKED = 100_000_000
"""The most bytes of a file that was compressed."""
MOST_OF_LINE = 32_000_000
"""The most characters of a table's cell, and bytes of a log's line, or of a log that is one JSON text."""
MOST_COLUMNS = 100_000
"""The most delimiters in a line of a table."""
DELIMITERS = "\t,;"
PIECE = 1 << 20
LIKE_AN_ID = re.compile(r"(?:.*_)?(?:id|idx|index|key)", re.IGNORECASE)
MOST_VALUES, CHARACTERS = 2_000_000, 16
"""The most values of a text, and the characters for each that a text with more must have.

An empty list takes 3 characters, next to nothing in an archive, and 64 bytes of memory.
"""
STRING = re.compile(r'"(?:[^"\\]+|\\.)*+"?', re.DOTALL)
SPACE = " \t\r\n"
"""What JSON ignores between values."""
WHOLE = "it"
"""The place of a record that is all of its file."""


class Entry(NamedTuple):
    """An object of JSON, or a row of a table by the names of its columns."""

    place: str
    """Where it is in its file, such as `line 3`."""
    value: Mapping[str, Any]


def records(path: Path) -> Iterator[Entry]:
    """Yield the records of a file. Raises ValueError, which names the place, UserError and FileNotFoundError."""
    check_size(path)
    with reading(path):
        content = path.read_bytes()
    if content.startswith(GZIP):
        content = _unpacked(path)
    if unpacks := next((command for begin, command in PACKED.items() if re.match(begin, content)), None):
        raise UserError("packed-file", f"{path} is compressed: unpack it first, by {unpacks} {shlex.quote(str(path))}.")
    content = content.removeprefix(BYTE_ORDER_MARK)
    if (first := re.search(rb"\S", content)) is None:
        return
    try:
        yield from {b"[": _entries, b"{": _objects}.get(first[0], _rows)(content)
    except UnicodeDecodeError as error:
        raise UserError("not-utf-8", f"{path} is not UTF-8 text ({error.reason}): save it as UTF-8.") from None


def likely_id(fields: Iterable[str]) -> str | None:
    """Return the field that is named like one that identifies an item; None if there is none."""
    return next(filter(LIKE_AN_ID.fullmatch, fields), None)


def _unpacked(path: Path) -> bytes:
    """Return the content of a compressed file. Raises ValueError if it is damaged, or would fill the memory."""
    try:
        with gzip.open(path) as file:
            return bounded(iter(partial(file.read, PIECE), b""), MOST_UNPACKED, "it unpacks to")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"its compressed content is damaged ({error})") from None


def bounded(pieces: Iterable[bytes], most: int, what: str) -> bytes:
    """Return what is decompressed piece by piece. Raises ValueError, which begins with `what`, beyond `most` bytes."""
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > most:
            raise ValueError(f"{what} more than {most:,} bytes")
    return bytes(content)


def _json(text: bytes, place: str) -> Any:
    decoded = text.decode()
    try:
        return loads(decoded)
    except ValueError as error:
        raise ValueError(f"{place} is not JSON: {error}") from None


def _of_line(line: bytes, place: str) -> Any:
    """Return the value of a line. Nearly all are one JSON text from the beginning to the end, which is read at once."""
    text = line.decode().rstrip(SPACE)
    if len(text) <= MOST_VALUES:
        try:
            value, end = _DECODER.raw_decode(text)
            if end == len(text):
                return value
        except (ValueError, RecursionError):
            pass
    return _json(line, place)  # reads what begins with spaces, and says what is wrong


def _record(value: object, place: str) -> Entry:
    if not isinstance(value, dict):
        raise ValueError(f"{place} is no JSON object")
    return Entry(place, value)


def _entries(content: bytes) -> Iterator[Entry]:
    for number, entry in enumerate(_json(content, WHOLE), start=1):
        yield _record(entry, f"entry {number:,}")


def _objects(content: bytes) -> Iterator[Entry]:
    """Yield the objects of JSON lines, or the only one, if it goes on beyond its first line."""
    if not next(filter(bytes.strip, io.BytesIO(content))).rstrip().endswith(b"}"):
        yield _record(_json(content, WHOLE), WHOLE)
        return
    for number, line in enumerate(io.BytesIO(content), start=1):  # JSON allows U+2028 and its like within a line
        if not line.isspace():
            place = f"line {number:,}"
            yield _record(_of_line(line, place), place)


def _rows(content: bytes) -> Iterator[Entry]:
    """Yield the rows of a table whose first line names the columns."""
    head = content[: content.find(b"\n") + 1 or None].decode()
    delimiter = max(DELIMITERS, key=head.count)
    if delimiter not in head:
        raise ValueError("it is neither JSON nor a table, CSV or TSV, whose first line names the columns")
    lines = io.TextIOWrapper(io.BytesIO(content), "utf-8", newline="")
    reader = csv.reader(_narrow(lines, delimiter), delimiter=delimiter, strict=True)
    names = [name.strip() for name in _next(reader) or ()]
    if len({*names}) < len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        raise ValueError(f"its first line names the column {visible(twice[:60])!r} twice")
    while (row := _next(reader)) is not None:
        place = f"line {reader.line_num:,}"
        if row and len(row) != len(names):
            raise ValueError(f"{place} has {len(row):,} cells, and the first line {len(names):,}")
        if row:
            yield Entry(place, dict(zip(names, row, strict=True)))


def _narrow(lines: io.TextIOWrapper, delimiter: str) -> Iterator[str]:
    for line in lines:
        if line.count(delimiter) > MOST_COLUMNS:
            raise ValueError(f"it has more than {MOST_COLUMNS:,} columns")
        yield line


def _next(reader: Any) -> list[str] | None:
    """Return the next row; None at the end. A cell may be a whole document, which csv's own limit refuses."""
    usual = csv.field_size_limit(MOST_OF_LINE)
    try:
        row: list[str] | None = next(reader, None)
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num:,} is not CSV: {error}") from None
    finally:
        csv.field_size_limit(usual)
    return row


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(name for name, number in Counter(name for name, _ in pairs).items() if number > 1)
        raise ValueError(f"it has the key {visible(twice)!r} twice")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def loads(text: str) -> Any:
    """Return the value of a JSON text.

    Raises ValueError, also for a key that occurs twice, deep nesting, and more values than honest texts have.
    """
    _check_values(text)
    return parsed(_DECODER.decode, text)


def _check_values(text: str) -> None:
    """Raise ValueError if a text, which may be small when it is compressed, would fill the memory as values."""
    if len(text) <= MOST_VALUES:
        return
    most = max(MOST_VALUES, len(text) // CHARACTERS)
    if _marks(text) > most and _marks(STRING.sub("", text)) > most:
        raise ValueError(f"it has more than {most:,} values")


def _marks(text: str) -> int:
    return sum(map(text.count, "[{,"))


def log_lines(path: Path, cut: Callable[[], object]) -> Iterator[tuple[int, Any]]:
    """Yield the JSON lines of a log with their numbers, one at a time; a file that is one JSON text is one line.

    What a program that ended badly cut is left out, the last line or the end of the text, and `cut` is called. Raises
    UserError; ValueError with the beginning of a file that is no JSON.
    """
    check_size(path, most=math.inf)
    begun = False
    with reading(path), path.open("rb") as file:
        for number, line in enumerate(iter(partial(file.readline, MOST_OF_LINE + 1), b""), start=1):
            if line.isspace():
                continue
            try:
                value = _log_value(line)
            except ValueError as error:
                rest = file.read(MOST_OF_LINE + 1)
                if begun and not rest.strip():
                    cut()
                elif whole := None if begun else _whole(line, rest, cut):
                    yield number, whole
                else:
                    raise _no_json(path, number, line, error) from None
                return
            yield number, value
            begun = True


def _no_json(path: Path, number: int, line: bytes, error: ValueError) -> Exception:
    """Return what is wrong with a line."""
    if len(line) > MOST_OF_LINE:
        return UserError(
            "bad-transcript",
            f"{path}, line {number} has more than {MOST_OF_LINE:,} bytes, too long for a conversation: leave out "
            "pictures and files.",
        )
    if isinstance(error, UnicodeDecodeError):
        read_text(path)  # says where
    if not line.lstrip(BYTE_ORDER_MARK + b" \t").startswith((b"{", b"[")):
        begins = visible(line.decode(errors="replace").strip()[:40])
        return ValueError(f"it begins with {begins!r}")
    return UserError("bad-transcript", f"{path}, line {number} is not JSON ({error}): complete the line, or delete it.")


def _log_value(text: bytes) -> Any:
    """Return the value of a JSON text in a log. Raises ValueError."""
    if len(text) > MOST_OF_LINE:
        raise ValueError
    return parsed(_sendable, text.decode("utf-8-sig"))


def _sendable(text: str) -> Any:
    """Return the value of a JSON text, with ? for halves of characters, which no request can contain."""
    found = json.loads(text)
    if "\\ud" in text or "\\uD" in text:
        found = json.loads(json.dumps(found, ensure_ascii=False).encode(errors="replace"))
    return found


def _whole(line: bytes, rest: bytes, cut: Callable[[], object]) -> Any:
    """Return the content of a file that is one JSON text over several lines, or that is cut; None if it is not."""
    with contextlib.suppress(ValueError):
        return _log_value(line + rest)
    if line.strip() in (b"{", b"[") or not rest.strip():
        with contextlib.suppress(ValueError):
            mended = _log_value(_mended((line + rest)[:MOST_OF_LINE]))
            cut()
            return mended
    return None


MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
"""The texts and the brackets of JSON."""


def _mended(text: bytes) -> bytes:
    """Return a JSON text that was cut, up to the last whole element of its outermost list; empty if there is none."""
    opened, closing, end = b"", b"", 0
    for found in MARKS.finditer(text):
        mark = text[found.start() : found.start() + 1]
        if mark in b"[{":
            opened += mark
        elif mark in b"]}":
            opened = opened[:-1]
            if opened in (b"[", b"{["):
                end, closing = found.end(), opened[::-1].replace(b"[", b"]").replace(b"{", b"}")
    return text[:end] + closing


def fields_of(entry: Any) -> str:
    """Return the names of the fields of a line, or of the first object in its list."""
    first = entry[0] if isinstance(entry, list) and entry else entry
    names = [visible(str(name)[:40]) for name in list(first)[:5]] if isinstance(first, dict) else []
    return f"{', '.join(names) or 'none'}{' in a list' if first is not entry else ''}"
