"""Reads JSON strictly: what JSON leaves open is refused."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from longctx.fields import parsed
from longctx.text import visible

MOST_VALUES, CHARACTERS = 2_000_000, 16
"""The most values of a text, and the characters for each that a text with more must have.

An empty list takes 3 characters, next to nothing in an archive, and 64 bytes of memory.
"""
STRING = re.compile(r'"(?:[^"\\]+|\\.)*+"?', re.DOTALL)


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
