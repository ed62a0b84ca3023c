"""A vcrpy serializer that writes JSON on one line, so that an episode is a line and git merges files by union."""

from __future__ import annotations

import json
from typing import Any


def deserialize(text: str) -> Any:
    return json.loads(text)


def serialize(cassette: dict[str, Any]) -> str:
    return json.dumps(cassette, ensure_ascii=False, separators=(",", ":"))
