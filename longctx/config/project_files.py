"""Reads text and TOML files, with sentences on what is wrong in them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from longctx.errors import UserError, did_you_mean
from longctx.fields import fault, parsed
from longctx.files import check_no_conflict
from longctx.text import visible

Config = TypeVar("Config", bound=BaseModel)
MOST_BYTES = 500_000_000
"""The size from which on a text file is not read."""
MOST_OF_LINE = 32_000_000
"""The most bytes of a JSON line, or of a JSON text."""
CONSEQUENCE = "default_factory_not_called"
"""The type of an error of pydantic's that only states that another entry is wrong."""


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte order mark at its beginning.

    Raises UserError if it is not UTF-8 or has no end in sight, FileNotFoundError if it does not exist.
    """
    check_size(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError as error:
        raise UserError(
            "not-utf-8", f"{path} is not UTF-8 text ({error.reason} at byte {error.start}): save it as UTF-8."
        ) from None


def unreadable(path: Path, error: OSError) -> UserError:
    """Return what to say of a file that the system does not let the user read."""
    return UserError(
        "not-readable", f"{path} cannot be read: {os.strerror(error.errno or 0)}. Name a file that you may read."
    )


def check_size(path: Path, most: float = MOST_BYTES) -> None:
    """Raise UserError for a device, which may never end, and for a file that would fill the memory. most: its bytes."""
    try:
        found = path.stat()
    except OSError:  # reading it says why
        return
    if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
        raise UserError("file-is-device", f"{path} is a device, not a file: put a file in its place.")
    if found.st_size > most:
        raise UserError(
            "file-too-large",
            f"{path} has {found.st_size:,} bytes, more than the limit of {most:,}: split it, or leave out "
            "what is not needed.",
        )


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_toml(path: Path, config: type[Config]) -> Config:
    """Return the checked content of a TOML file. Raises UserError, which names the file and every wrong entry."""
    try:
        content = parsed(tomllib.loads, read_text(path))
    except ValueError as error:
        check_no_conflict(path, "keep the correct lines of both sides, and delete those of the markers")
        raise UserError("not-toml", f"{path} is not valid TOML: {error}.") from None
    return checked(content, config, str(path))


def checked(content: Mapping[str, Any], config: type[Config], source: str) -> Config:
    """Return the checked entries of a file, or of what takes its place. Raises UserError, which names `source`."""
    try:
        return config.model_validate(content)
    except ValidationError as error:
        parts = [part for part in error.errors() if part["type"] != CONSEQUENCE]
        inner = {part["loc"][:-1] for part in parts}  # a list whose values are wrong is not too short, too
        faults = "\n".join(
            f"  {_sentence(config, part, 'the file', content)}"
            for part in parts
            if part["type"] != "too_short" or part["loc"] not in inner
        )
        raise UserError("bad-entries", f"{source} has entries that cannot be used:\n{faults}") from None


def first_fault(config: type[BaseModel], error: ValidationError, whole: str) -> str:
    """Return a sentence on the first entry that cannot be used; a misspelt one comes before the one it should be.

    whole: the word for what has the entries.
    """
    parts = error.errors()
    return _sentence(config, next((part for part in parts if part["type"] == "extra_forbidden"), parts[0]), whole)


def _sentence(config: type[BaseModel], part: ErrorDetails, whole: str, content: Any = None) -> str:
    """Describe the fault of an entry. content: that of the file, which distinguishes a table from a list of tables."""
    where = ".".join(_steps(part["loc"], content)) or whole
    if part["type"] == "extra_forbidden":
        *table, name = part["loc"]
        return f"{where}: no such entry. {did_you_mean(str(name), _entries(config, table))}"
    if part["type"] == "missing":
        return f"{where}: missing."
    reason = fault(part)
    if isinstance(part["input"], dict) or part["type"] == "json_invalid":
        return f"{where}: {reason}."
    return f"{where}: {reason} (found {part['input']!r})."


def _steps(place: Sequence[int | str], content: Any) -> Iterator[str]:
    """Yield the names on the way to an entry, without the index of a value in a place where a list may be.

    content: None if it is not known; then all indexes are kept.
    """
    for step in place:
        if isinstance(step, int) and content is not None and not isinstance(content, list):
            continue
        yield str(step)
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            content = None


def _entries(config: type[BaseModel], table: Sequence[int | str]) -> list[str]:
    """Return the entries that a table of the file may have."""
    schema = config.model_json_schema()
    part = schema
    for step in table:
        part = part["items"] if isinstance(step, int) else part["properties"][step]
        part = next((option for option in part.get("anyOf", ()) if "$ref" in option), part)
        if "$ref" in part:
            part = schema["$defs"][part["$ref"].rpartition("/")[2]]
    return list(part.get("properties", ()))


LONGEST = 200
"""The most characters of a name; file systems take names of 255 bytes."""


def slug(name: str) -> str:
    """Return a name as a file name: model ids may contain slashes and colons."""
    return re.sub(r"[^A-Za-z0-9._@+-]+", "_", name)


def check_name(name: str) -> None:
    """Raise UserError for the name of a model that is empty, begins with a dot, such as `..`, or is too long."""
    if not name or name.startswith(".") or len(name) > LONGEST:
        raise UserError(
            "bad-name",
            f"{name[:LONGEST]!r} cannot be the name of a model: it is part of file names, so choose one of at most "
            f"{LONGEST} "
            "characters that does not begin with a dot.",
        )


def file_name(name: str) -> str:
    """Return a file name that no other name has. A name that cannot be a file name gets its digest at the end.

    No model at all is the empty name. Raises UserError as `check_name` does for any other.
    """
    if name:
        check_name(name)
    plain = slug(name)
    if plain == name:
        return name
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def entries(path: Path, cut: Callable[[], object]) -> Iterator[tuple[int, Any]]:
    """Yield the JSON lines of a file with their numbers, one at a time; a file that is one JSON text is one line.

    What a program that ended badly cut is left out, the last line or the end of the text, and `cut` is called. Raises
    UserError; ValueError with the beginning of a file that is no JSON.
    """
    check_size(path, most=math.inf)
    try:
        with path.open("rb") as file:
            begun = False
            for number, line in enumerate(iter(lambda: file.readline(MOST_OF_LINE + 1), b""), start=1):
                if not line.strip():
                    continue
                try:
                    yield number, _parsed(line)
                    begun = True
                except (ValueError, RecursionError) as error:
                    rest = file.read(MOST_OF_LINE + 1)
                    if begun and not rest.strip():
                        cut()
                    elif whole := None if begun else _whole(line, rest, cut):
                        yield number, whole
                    else:
                        raise _no_json(path, number, line, error) from None
                    return
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unreadable(path, error) from None


def _no_json(path: Path, number: int, line: bytes, error: Exception) -> Exception:
    """Return what is wrong with a line."""
    if len(line) > MOST_OF_LINE:
        return UserError(
            "bad-transcript",
            f"{path}, line {number} has more than {MOST_OF_LINE:,} bytes, too long for a conversation: leave out "
            "pictures and files.",
        )
    if isinstance(error, UnicodeDecodeError):
        read_text(path)  # says where
    if not line.lstrip(b"\xef\xbb\xbf \t").startswith((b"{", b"[")):
        begins = visible(line.decode(errors="replace").strip()[:40])
        return ValueError(f"it begins with {begins!r}")
    told = "it is nested too deeply" if isinstance(error, RecursionError) else error
    return UserError("bad-transcript", f"{path}, line {number} is not JSON ({told}): complete the line, or delete it.")


def _parsed(text: bytes) -> Any:
    """Return a JSON text, with ? for halves of characters, which cannot be sent. Raises ValueError, RecursionError."""
    if len(text) > MOST_OF_LINE:
        raise ValueError
    found = json.loads(text.decode("utf-8-sig"))
    if b"\\ud" in text or b"\\uD" in text:
        found = json.loads(json.dumps(found, ensure_ascii=False).encode(errors="replace"))
    return found


def _whole(line: bytes, rest: bytes, cut: Callable[[], object]) -> Any:
    """Return the content of a file that is one JSON text over several lines, or that is cut; None if it is not."""
    with contextlib.suppress(ValueError, RecursionError):
        return _parsed(line + rest)
    if line.strip() not in (b"{", b"[") and rest.strip():
        return None
    with contextlib.suppress(ValueError, RecursionError):
        mended = _parsed(_mended((line + rest)[:MOST_OF_LINE]))
        cut()
        return mended
    return None


MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
"""The texts and the brackets of JSON."""


def _mended(text: bytes) -> bytes:
    """Return a JSON text that was cut, up to the last whole element of its outermost list; empty if there is none."""
    opened, end = b"", 0
    closing = b""
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
