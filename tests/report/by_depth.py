"""Rows whose answers are wrong at one depth."""

from __future__ import annotations

from longctx.results.row import Row
from tests.rows import row

DEPTHS = 0.1, 0.5, 0.9


def at(lines: int, wrong_at: float | None = None, depths: tuple[float, ...] = DEPTHS, **fields: object) -> list[Row]:
    """Return 30 trials of a length, of which those at one depth are wrong."""
    place = {"cell": f"lines-{lines}", "params": {"lines": lines, "block_size": None}, "band": "all", **fields}
    given = (depths[trial % len(depths)] for trial in range(30))
    return [
        row("wrong" if depth == wrong_at else "correct", trial=trial, depth=depth, **place)
        for trial, depth in enumerate(given)
    ]
