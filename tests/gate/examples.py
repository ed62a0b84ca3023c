"""Rows of a made-up baseline, and the rules that they are judged by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from longctx.gate.recording_age import AgeLimit
from longctx.gate.verdict import Rules
from longctx.results.row import Row
from tests.rows import joined, right_of, run

RULES = Rules(age=AgeLimit("2026-11-22T00:00:00+00:00"))
AGELESS = Rules()
"""Rules for answers of any age."""
TOGETHER = replace(RULES, margin=0.25, run_margin=0.075)
BANDS = "short", "middle", "long"


def rows(right: tuple[int, ...], n: int = 200, **fields: Any) -> list[Row]:
    """So many right of n in each band."""
    return [
        row
        for band, correct in zip(BANDS, right, strict=False)
        for row in run(*right_of(correct, n), band=band, cell=band, **fields)
    ]


BASELINE = joined(rows((180, 160, 140)))
