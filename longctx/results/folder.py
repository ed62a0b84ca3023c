"""The folder of a run: its files, and how it is found when a user names it on a command line."""

from __future__ import annotations

from pathlib import Path

from longctx.errors import UserError
from longctx.results.export import CSV, PARQUET
from longctx.results.manifest import MANIFEST
from longctx.results.store import RESULTS, UNFINISHED, VIEWS

FILES = (
    RESULTS,
    VIEWS,
    MANIFEST,
    CSV,
    PARQUET,
    "summary.json",
    "summary.md",
    "gate.json",
    "gate.md",
    "index.html",
    "charts",
)
"""The names that a finished run may have in its folder."""


def find_run(path: Path) -> Path:
    """Return the folder of a finished run. Raises UserError.

    path: the folder, or `latest`, which is a file with the run's name on systems that do not allow links.
    """
    folder = path
    if path.is_file() and path.name == "latest":
        folder = path.parent / path.read_text(encoding="utf-8", errors="replace").strip()
    if (folder / RESULTS).is_file():
        return folder.resolve()
    if (folder / UNFINISHED).is_file():
        raise UserError(
            "run-not-finished",
            f"{path} holds a run that did not finish: run it again; the answers it recorded are kept.",
        )
    if path.is_file():
        raise UserError("path-is-file", f"{path} is a file: give the folder of a run, such as reports/latest.")
    raise UserError("no-run", f"{path} holds no run: give the folder that pytest wrote, such as reports/latest.")
