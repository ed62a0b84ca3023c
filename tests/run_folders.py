"""Writes the folder of a finished run, for tests of what reads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longctx.results.manifest import Manifest
from longctx.results.row import Row
from longctx.results.store import append, finish, row_lines
from longctx.results.trial_view import View


def finished(folder: Path, rows: Sequence[Row], reply: str, **fields: Any) -> Path:
    """Return the folder. reply: that of each view. fields: of the manifest, whose run is the folder's name."""
    append(folder, row_lines(rows, [View("test", reply=reply)] * len(rows)))
    finish(folder)
    manifest = {
        "run": folder.name,
        "version": "1.0",
        "profile": "tiny",
        "profile_digest": "d",
        "about": "",
        "seed": 0,
        "finished_at": "2026-11-22T00:00:00+00:00",
    }
    Manifest(**manifest | fields).write(folder)
    return folder
