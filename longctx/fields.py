"""The types of the entries of files that longctx writes and reads back, as pydantic checks them."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

from pydantic import Field, PlainValidator, ValidationError
from pydantic_core import ErrorDetails

Parsed = TypeVar("Parsed")


def parsed(parse: Callable[[str], Parsed], text: str) -> Parsed:
    """Return what `parse` makes of a text of TOML or JSON. Raises ValueError, also if it is nested too deeply."""
    try:
        return parse(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def hints_of(function: Callable[..., object], names: Collection[str], extras: bool = False) -> dict[str, Any]:
    """Return the types of these parameters. Those of the others may be imported for type checkers alone."""
    hints = {name: hint for name, hint in inspect.get_annotations(function).items() if name in names}
    made: Any = SimpleNamespace(__annotations__=hints)
    return typing.get_type_hints(made, inspect.unwrap(function).__globals__, include_extras=extras)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it is not text")
    return value


Text = Annotated[str, PlainValidator(_text)]
"""Any text; pydantic's own type refuses lone surrogates, which replies and names of files may contain."""
Whole = Annotated[int, Field(strict=True)]
Natural = Annotated[int, Field(strict=True, ge=0)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Amount = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
PLAIN = {"Text": "str", "Whole": "int", "Natural": "int", "Number": "float", "Amount": "float"}


def plain(annotation: object) -> str:
    """Return an annotation with Python's own names for these types."""
    return re.sub(r"\w+", lambda name: PLAIN.get(name[0], name[0]), str(annotation))


def fault(part: ErrorDetails) -> str:
    """Return what is wrong with an entry of a file, in a clause. part: pydantic's error about it."""
    if part["type"] == "value_error":
        return str(part["ctx"]["error"])
    return re.sub(r"\b[Tt]uple\b", "list", part["msg"])  # a list of TOML or JSON


def reason(error: Exception) -> str:
    """Return why a file cannot be used: what is wrong with its first bad entry, in a clause."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {fault(first)}".removeprefix(": ")
