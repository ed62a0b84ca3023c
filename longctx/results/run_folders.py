"""The folders of runs: found, locked, and removed once they are old."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from longctx.errors import UserError
from longctx.links import inside
from longctx.locks import locked
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
    "by_base.json",
    "index.html",
    "charts",
    "details",
)
"""The names that a finished run may have in its folder."""
OF_RUN = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}(-\d+)?")
"""The names that runs give to their folders."""


def check_folder_has_no_run(folder: Path) -> None:
    """Raise UserError if the folder of --ctx-report already contains a run."""
    if existing := next((name for name in FILES if os.path.lexists(folder / name)), None):
        raise UserError(
            "report-exists",
            f"--ctx-report {folder} already contains {existing}, which the report would replace: choose another "
            "folder.",
        )


@contextlib.contextmanager
def only_reporter(folder: Path) -> Iterator[None]:
    """Lock the folder of a report until it is written. Raises UserError if another run writes there.

    A folder that is made for the lock is removed again if nothing is written to it.
    """
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    held = UserError("report-locked", f"Another run is writing its report into {folder}: give each run its own folder.")
    with contextlib.ExitStack() as stack:
        for parent in reversed(missing):
            stack.callback(_drop_empty, parent)
        stack.enter_context(locked(folder, held, "two runs could mix their rows", goes=True))
        yield


def _drop_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def find_run(path: Path) -> Path:
    """Return the folder of a finished run. Raises UserError.

    path: the folder, or `latest`, which is a file with the run's name on systems that do not allow links.
    """
    folder = path
    if path.name == "latest":
        inside(path, path.parent)
        if path.is_file():
            folder = path.parent / path.read_text(encoding="utf-8", errors="replace").strip()
            inside(folder, path.parent)
    if (folder / RESULTS).is_file():
        for name in FILES:
            inside(folder / name, folder)
        return folder.resolve()
    if (folder / UNFINISHED).is_file():
        raise UserError(
            "run-not-finished",
            f"{path} contains an unfinished run: run it again; its recorded answers are kept.",
        )
    if path.is_file():
        raise UserError("path-is-file", f"{path} is a file: name the folder of a run, such as reports/latest.")
    raise UserError("no-run", f"{path} contains no run: name the folder that pytest wrote, such as reports/latest.")


def remove_old_runs(reports: Path, keep: int, beside: Collection[Path] = ()) -> None:
    """Remove the runs of a project but the last ones. Folders that no run named are left alone.

    Args:
        reports: The folder of the runs.
        keep: How many are kept; 0 for all.
        beside: Folders that are kept, too, such as that of a baseline.
    """
    if not keep:
        return
    runs = sorted(path for path in reports.iterdir() if OF_RUN.fullmatch(path.name) and _is_run(path))
    kept = {path.resolve() for path in beside}
    for path in runs[:-keep]:
        if path.resolve() not in kept:
            shutil.rmtree(path, ignore_errors=True)


def _is_run(path: Path) -> bool:
    return not path.is_symlink() and (path / RESULTS).is_file() and (path / MANIFEST).is_file()
