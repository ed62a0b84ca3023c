"""Data as lines of text for people: one for each entry, and one for each line of a text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from longctx.redaction import REDACTED, SECRET, without_keys

MOST_DEPTH = 20
"""The deepest level of nesting that is written in lines."""


def data_lines(value: Any, longest: int | None = None, indent: str = "") -> Iterator[str]:
    """Yield an object or a list as lines, without keys.

    longest: the most characters of a text in it, of which a longer one is folded; None for data of requests, in which
    the name of a field tells whether it is a credential.
    """
    entries = sorted(value.items()) if isinstance(value, dict) else (("-", entry) for entry in value)
    for name, entry in entries:
        label = f"{indent}{name}" if name == "-" else f"{indent}{name}:"
        if isinstance(entry, str):
            is_secret = longest is None and name != "-" and SECRET.search(name)
            text = REDACTED if is_secret else without_keys(entry) if longest is None else _folded(entry, longest)
            lines = text.splitlines() if "\n" in text else []
            yield label if lines else f"{label} {text}"
            yield from (f"{indent}  {line}" for line in lines)
        elif isinstance(entry, dict | list) and entry and len(indent) < 2 * MOST_DEPTH:
            yield label
            yield from data_lines(entry, longest, f"{indent}  ")
        else:
            yield f"{label} {json.dumps(entry, ensure_ascii=False, sort_keys=True, default=str)}"


def _folded(text: str, longest: int) -> str:
    """Return a text without keys; of a long one its beginning, with the length and the digest of the rest."""
    head = without_keys(text[: 4 * longest])
    if max(len(text), len(head)) <= longest:
        return head
    rest = text[longest:].encode("utf-8", "surrogatepass")
    return (
        f"{head[:longest]}\n… {len(text) - longest:,} more characters, SHA-256 {hashlib.sha256(rest).hexdigest()[:8]}…"
    )
