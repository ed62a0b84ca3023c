"""Kept runs made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from longctx.results.baseline import Baseline
from longctx.results.row import Row
from tests.report.sample import MANIFEST
from tests.rows import digested, run

N = 100


def outcomes(right: int, n: int = N, **fields: Any) -> list[Row]:
    """Return a band with this number of right answers."""
    return run(*["correct"] * right, *["wrong"] * (n - right), **{"band": "all", **fields})


def kept(day: int, *rows: Sequence[Row], answers: str | None = "", **manifest: Any) -> Baseline:
    """Return a kept run of that day; its answers are its own unless another's are named."""
    kept_rows = [row for part in rows for row in digested(part, answers or f"of day {day}")]
    at = f"2026-11-{day:02}T12:00:00+00:00"
    return Baseline(f"day{day}", at, replace(MANIFEST, finished_at=at, **manifest), kept_rows)
