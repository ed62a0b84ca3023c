"""Reads JSON strictly: what JSON leaves open is refused."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from longctx.fields import parsed
from longctx.visible import visible


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    counts = Counter(name for name, _ in pairs)
    if twice := [name for name, number in counts.items() if number > 1]:
        raise ValueError(f"it has the key {visible(twice[0])!r} twice")
    return dict(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def loads(text: str) -> Any:
    """Return the value of a JSON text. Raises ValueError, also for a key that occurs twice and for deep nesting."""
    return parsed(_DECODER.decode, text)


def first_value(text: str) -> tuple[Any, int]:
    """Return the JSON value at the beginning of a text, and where it ends. Raises ValueError as `loads` does."""
    start = len(text) - len(text.lstrip())
    return parsed(lambda text: _DECODER.raw_decode(text, start), text)
