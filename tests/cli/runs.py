"""Runs on disk, for the commands that read them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from longctx.results.row import Row
from tests.rows import row
from tests.run_folders import finished

HOSTILE = "=1+1|<b>\x1b[31m`x`\u202e"


def rows(*outcomes: str, **fields: Any) -> list[Row]:
    """Return a row for each outcome, with trials numbered from 0."""
    answered: dict[str, Any] = {
        "returned": "7",
        "prompt_sha256": "ab",
        "expected": "7",
        "latency_s": 1.0,
        "cost_usd": 0.0,
    }
    answered |= {"input_tokens": 9, "cached_tokens": 0, "output_tokens": 1}
    return [row(outcome, trial=trial, **answered | fields) for trial, outcome in enumerate(outcomes)]


def run(folder: Path, *parts: list[Row], **fields: Any) -> Path:
    """Return the folder of a finished run with hostile replies."""
    renamed = [replace(row, run=folder.name) for part in parts for row in part]
    return finished(folder, renamed, f"{HOSTILE}\nsecond line", **fields)
