"""A vcrpy serializer that writes JSON on one line, so that an episode is a line and git merges files by union."""

from __future__ import annotations

import json
from typing import Any

VERSION = 1
"""The version of cassettes that vcrpy reads and writes, and does not check."""


def deserialize(text: str) -> Any:
    """Return the cassette in a text. Raises ValueError for one of another version."""
    cassette = json.loads(text)
    if (version := cassette["version"]) != VERSION:
        raise ValueError(f"its version is {version!r}, and this longctx reads version {VERSION}")
    return cassette


def serialize(cassette: dict[str, Any]) -> str:
    return json.dumps(cassette, ensure_ascii=False, separators=(",", ":"))
