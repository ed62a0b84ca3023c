"""A line: the rows that a baseline keeps as one, and whose answers have one digest."""

from __future__ import annotations

import json
from collections.abc import Iterable

from longctx.results.row import Row

OF_A_LINE = (
    *("family", "version", "model", "prompt_set", "prompt_digest", "labels"),
    *("scenario", "params", "band", "seed", "repeat"),
)
"""What all rows of a line have in common: of one scenario, and of one value of what its trials may differ in."""


def line_of(row: Row) -> str:
    """What a row's line is known by, as JSON: the fields of OF_A_LINE, in their order."""
    return json.dumps({name: getattr(row, name) for name in OF_A_LINE})


def by_line(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each line, in the order in which they come."""
    lines: dict[str, list[Row]] = {}
    for row in rows:
        lines.setdefault(line_of(row), []).append(row)
    return lines
