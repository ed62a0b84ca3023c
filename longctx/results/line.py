"""A line: the rows that a baseline keeps as one, and whose answers have one digest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

OF_A_LINE = (
    *("family", "version", "model", "prompt_set", "prompt_digest", "labels"),
    *("scenario", "params", "band", "seed", "repeat"),
)
"""What all rows of a line have in common: of one scenario, and of one value of what its trials may differ in."""


def line_of(row: Mapping[str, Any]) -> str:
    """What a row's line is known by, as JSON: the fields of OF_A_LINE, in their order."""
    return json.dumps({name: row.get(name) for name in OF_A_LINE})


def by_line(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The rows of each line, in the order in which they come."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(line_of(row), []).append(row)
    return found
