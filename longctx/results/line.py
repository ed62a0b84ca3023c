"""A line of rows: those that a baseline keeps as one line, and whose answers share one digest."""

from __future__ import annotations

import json
from collections.abc import Iterable

from longctx.results.row import Row

OF_A_LINE = (
    *("family", "version", "model", "prompt_set", "prompt_digest", "labels"),
    *("scenario", "params", "band", "seed", "repeat"),
)
"""The fields that all rows of a line share: they belong to one scenario and repeat of one subject."""


def line_of(row: Row) -> str:
    """Return the fields of OF_A_LINE as JSON, which identify a row's line."""
    return json.dumps({name: getattr(row, name) for name in OF_A_LINE})


def by_line(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Group rows by line, in their order."""
    lines: dict[str, list[Row]] = {}
    for row in rows:
        lines.setdefault(line_of(row), []).append(row)
    return lines
