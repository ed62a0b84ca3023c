"""Reading text and TOML files, and making file names of names."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from longctx.conflicts import check_no_conflict
from longctx.errors import UserError, did_you_mean

Config = TypeVar("Config", bound=BaseModel)


def slug(name: str) -> str:
    """Return a name as a file name: model ids may contain slashes and colons."""
    return re.sub(r"[^A-Za-z0-9._@+-]+", "_", name)


def file_name(name: str) -> str:
    """Return a file name that no other name has. A name that cannot be a file name gets its digest at the end."""
    plain = slug(name)
    if plain == name:
        return name
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def file_of(folder: Path, name: str, end: str, about: Callable[[Path], str | None]) -> Path:
    """Return the path of a name's file, which need not exist.

    about: returns the name that a file gives itself, if any. An earlier file without a digest is used, too, unless it
    is about another name.
    """
    path, earlier = folder / f"{file_name(name)}{end}", folder / f"{slug(name)}{end}"
    if path == earlier or path.is_file() or not earlier.is_file() or about(earlier) not in (None, name):
        return path
    return earlier


def read_text(path: Path) -> str:
    """Return the text of a file. Raises UserError if it is not UTF-8, FileNotFoundError if it does not exist."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(
            "not-utf-8", f"{path} is not UTF-8 text ({error.reason} at byte {error.start}): save it as UTF-8."
        ) from None


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_toml(path: Path, config: type[Config]) -> Config:
    """Return the checked content of a TOML file. Raises UserError, which names the file and every wrong entry."""
    try:
        return config.model_validate(tomllib.loads(read_text(path)))
    except tomllib.TOMLDecodeError as error:
        check_no_conflict(path, "keep what is right of both sides, and delete the lines of the markers")
        raise UserError("not-toml", f"{path} is not valid TOML: {error}.") from None
    except ValidationError as error:
        faults = "\n".join(f"  {_sentence(config, part, 'the file')}" for part in error.errors())
        raise UserError("bad-entries", f"{path} has entries that cannot be used:\n{faults}") from None


def first_fault(config: type[BaseModel], error: ValidationError, whole: str) -> str:
    """Return a sentence on the first entry that cannot be used; a misspelt one comes before the one it should be.

    whole: the word for what has the entries.
    """
    parts = error.errors()
    return _sentence(config, next((part for part in parts if part["type"] == "extra_forbidden"), parts[0]), whole)


def _sentence(config: type[BaseModel], part: ErrorDetails, whole: str) -> str:
    where = ".".join(str(step) for step in part["loc"]) or whole
    if part["type"] == "extra_forbidden":
        *table, name = part["loc"]
        return f"{where}: no such entry. {did_you_mean(str(name), _entries(config, table))}"
    if part["type"] == "missing":
        return f"{where}: missing."
    reason = str(part["ctx"]["error"]) if part["type"] == "value_error" else part["msg"]
    if isinstance(part["input"], dict) or part["type"] == "json_invalid":
        return f"{where}: {reason}."
    return f"{where}: {reason} (found {part['input']!r})."


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
