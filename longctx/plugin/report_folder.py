"""A report that cannot be written: noticed before any request is sent if possible, else at the end of the run."""

from __future__ import annotations

import contextlib
import os

import pytest

from longctx.engine.run import Run
from longctx.engine.run_data import FAILURES
from longctx.errors import UserError
from longctx.plugin.session import run_of, session_of
from longctx.plugin.workers import is_worker

EXIT = 13
"""The exit status of a run without a report."""


def lock_report_folder(config: pytest.Config) -> None:
    """Check that the user's report folder can be written, lock it, and delete what an unfinished run left there.

    Raises UserError.
    """
    run = run_of(config)
    if run.settings.report is None or is_worker(config) or config.option.collectonly:
        return
    from longctx.results.run_folders import check_folder_has_no_run, only_reporter
    from longctx.results.store import drop_unfinished

    check(run)
    if run.settings.lock:
        locks = contextlib.ExitStack()
        config.add_cleanup(locks.close)
        locks.enter_context(only_reporter(run.folder))
        check_folder_has_no_run(run.folder)  # another run may have ended there since this one began
    drop_unfinished(run.folder)
    (run.folder / FAILURES).unlink(missing_ok=True)


def check(run: Run) -> None:
    """Raise UserError if the run's folder cannot be written."""
    from longctx.files import check_writable

    try:
        check_writable(run.folder)
    except UserError as error:
        raise UserError(
            "report-not-writable", f"{error.sentence} Free some disk space, or choose another folder with --ctx-report."
        ) from None


def delete_rows_without_report(run: Run) -> None:
    """Delete the rows of a run without a report, unless they are the only record of its answers."""
    from longctx.results.store import drop_unfinished

    if run.private is None:
        drop_unfinished(run.folder)
        if run.folder.is_dir() and not any(run.folder.iterdir()):
            run.folder.rmdir()


def why_no_report(config: pytest.Config) -> str:
    """Return what the user must know: why there is no report, and where the answers are."""
    run = run_of(config)
    reason = f"The report was not written: {session_of(config).unwritten} "
    if run.private is None:
        return reason + (
            "All answers are recorded: free some disk space, or choose another folder with --ctx-report, and run it "
            "again."
        )
    from longctx.results.store import UNFINISHED

    return reason + f"{os.path.relpath(run.folder)}/{UNFINISHED} contains the rows, without the report."
