"""Reads text and TOML files, with sentences on what is wrong in them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from longctx.errors import UserError, did_you_mean
from longctx.fields import fault, parsed

Config = TypeVar("Config", bound=BaseModel)
MOST_BYTES = 500_000_000
"""The size from which on a text file is not read."""
CONSEQUENCE = "default_factory_not_called"
"""The type of an error of pydantic's that only states that another entry is wrong."""


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte order mark at its beginning.

    Raises UserError if it is not UTF-8 or has no end in sight, FileNotFoundError if it does not exist.
    """
    check_size(path)
    try:
        with reading(path):
            return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            "not-utf-8", f"{path} is not UTF-8 text ({error.reason} at byte {error.start}): save it as UTF-8."
        ) from None


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise UserError if the system does not let the user read a file; FileNotFoundError if it does not exist."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unreadable(path, error) from None


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
        from longctx.conflicts import check_no_conflict

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
