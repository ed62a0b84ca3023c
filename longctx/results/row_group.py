"""Groups of rows: those that a baseline keeps as one line, and whose answers share one digest."""

from __future__ import annotations

import json
from collections.abc import Iterable

from longctx.results.grouping import grouped
from longctx.results.row import Row

GROUP_FIELDS = (
    *("family", "version", "model", "prompt_set", "prompt_digest", "labels", "shape"),
    *("scenario", "params", "band", "seed", "repeat"),
)
"""The fields that all rows of a group share: they belong to one scenario and repeat of one subject."""


def group_key(row: Row) -> str:
    """Return the fields of GROUP_FIELDS as JSON, which identify a row's group."""
    return json.dumps({name: getattr(row, name) for name in GROUP_FIELDS})


def by_group(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the groups of rows by their keys, in the order of the rows."""
    return grouped(rows, group_key)
