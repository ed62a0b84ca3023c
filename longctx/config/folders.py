"""Where the data of a run lies, how its TOML files are read, and how any file is written."""

from __future__ import annotations

import difflib
import hashlib
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from longctx.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
CASSETTES = ROOT / "cassettes"
REPORTS = ROOT / "reports"
BASELINES = FIXTURES / "baselines"

Config = TypeVar("Config", bound=BaseModel)


def slug(name: str) -> str:
    """A name as a file name: a model id may hold slashes and colons."""
    return re.sub(r"[^A-Za-z0-9._@+-]+", "_", name)


def file_name(name: str) -> str:
    """A name as a file name that no other name has: one that is no file name as it stands ends in its digest."""
    plain = slug(name)
    if plain == name:
        return name
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def file_of(folder: Path, name: str, end: str, about: Callable[[Path], str | None]) -> Path:
    """The file of a name, whether or not there is one. about: the name that a file itself gives, if it gives one.

    Without the digest a file of `name` is still its own, unless it is about another.
    """
    path, earlier = folder / f"{file_name(name)}{end}", folder / f"{slug(name)}{end}"
    if path == earlier or path.is_file() or not earlier.is_file() or about(earlier) not in (None, name):
        return path
    return earlier


def resolve(name: str, folder: Path, kind: str) -> Path:
    """The TOML file that a name or a path means. Raises UserError with the names there are."""
    for path in (folder / f"{name}.toml", Path(name)):
        if path.suffix == ".toml" and path.is_file():
            return path
    names = sorted(path.stem for path in folder.glob("*.toml"))
    raise UserError(f"No {kind} {name!r}: {_suggest(name, names)} Or give the path of a .toml file.")


def find_baseline(name: str) -> Path:
    """The file of a baseline's name, or the path of its file or of a run's folder. Raises UserError."""
    for path in (BASELINES / f"{name}.jsonl", Path(name)):
        if path.exists():
            return path
    names = sorted(path.stem for path in BASELINES.glob("*.jsonl"))
    raise UserError(
        f"No baseline {name!r}: {_suggest(name, names)} Or give the path of its file, or of a run's folder. "
        "To make one: python -m longctx baseline save NAME."
    )


def read_text(path: Path) -> str:
    """The text of a file. Raises UserError where it is not UTF-8, FileNotFoundError where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start}): save it as UTF-8.") from None


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_toml(path: Path, config: type[Config]) -> Config:
    """The checked content of a TOML file. Raises UserError naming the file and every wrong entry."""
    try:
        return config.model_validate(tomllib.loads(read_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path} is not valid TOML: {error}.") from None
    except ValidationError as error:
        lines = [f"  {_sentence(config, part, 'the file')}" for part in error.errors()]
        raise UserError("\n".join([f"{path} has entries that cannot be used:", *lines])) from None


def first_fault(config: type[BaseModel], error: ValidationError, whole: str) -> str:
    """The first entry that cannot be used; a misspelt one before the one that is missing for it.

    whole: what to call that which has the entries.
    """
    parts = error.errors()
    return _sentence(config, next((one for one in parts if one["type"] == "extra_forbidden"), parts[0]), whole)


def _sentence(config: type[BaseModel], part: ErrorDetails, whole: str) -> str:
    where = ".".join(str(step) for step in part["loc"]) or whole
    if part["type"] == "extra_forbidden":
        *table, name = part["loc"]
        return f"{where}: no such entry. {_suggest(str(name), _entries(config, table))}"
    if part["type"] == "missing":
        return f"{where}: missing."
    said = str(part["ctx"]["error"]) if part["type"] == "value_error" else part["msg"]
    if isinstance(part["input"], dict) or part["type"] == "json_invalid":
        return f"{where}: {said}."
    return f"{where}: {said} (found {part['input']!r})."


def _entries(config: type[BaseModel], table: Sequence[int | str]) -> list[str]:
    """The entries that a table of the file may have."""
    schema = config.model_json_schema()
    here = schema
    for step in table:
        here = here["items"] if isinstance(step, int) else here["properties"][step]
        here = next((one for one in here.get("anyOf", ()) if "$ref" in one), here)
        if "$ref" in here:
            here = schema["$defs"][here["$ref"].rpartition("/")[2]]
    return list(here.get("properties", ()))


def _suggest(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(names) or 'none'}."
