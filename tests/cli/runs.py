"""Runs on disk, for the commands that read them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from longctx.results.manifest import Manifest
from longctx.results.row import Row
from longctx.results.store import append, as_lines, finish
from longctx.results.view import View
from tests.rows import row

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
    append(folder, as_lines(renamed, [View("test", reply=f"{HOSTILE}\nsecond line")] * len(renamed)))
    finish(folder)
    of = {
        "version": "1.0",
        "profile": "tiny",
        "profile_digest": "d",
        "about": "",
        "seed": 0,
        "finished_at": "2026-11-22T00:00:00+00:00",
    }
    Manifest(**{"run": folder.name} | of | fields).write(folder)
    return folder
