"""A report that cannot be written: found out before anything is asked, or the end of the run in a sentence."""

from __future__ import annotations

import os

import pytest

from longctx.errors import UserError
from longctx.plugin.run import RUN, Run

EXIT = 13
UNWRITTEN = pytest.StashKey[str]()
"""Why the report was not written, in a sentence."""


def prepare(config: pytest.Config) -> None:
    """Try the folder that the user named, and clear it of a run that did not finish there. Raises UserError."""
    run = config.stash[RUN]
    if run.settings.report is None or hasattr(config, "workerinput") or config.option.collectonly:
        return
    from longctx.plugin.run import FAILURES
    from longctx.results.store import drop_unfinished

    check(run)
    drop_unfinished(run.folder)
    (run.folder / FAILURES).unlink(missing_ok=True)


def check(run: Run) -> None:
    """Raises UserError where the run's folder cannot be written."""
    from longctx.files import check_writable

    try:
        check_writable(run.folder)
    except UserError as error:
        raise UserError(
            "report-not-writable", f"{error.sentence} Free some disk space, or give another folder with --ctx-report."
        ) from None


def tidy(run: Run) -> None:
    """Delete the rows of a run without a report, unless they are all there is of its answers."""
    from longctx.results.store import drop_unfinished

    if run.private is None:
        drop_unfinished(run.folder)
        if run.folder.is_dir() and not any(run.folder.iterdir()):
            run.folder.rmdir()


def sentence(config: pytest.Config) -> str:
    """What a person must know."""
    run = config.stash[RUN]
    said = f"The report was not written: {config.stash[UNWRITTEN]} "
    if run.private is None:
        return said + (
            "What was asked is recorded, so that no answer is lost: make room, or give another folder with "
            "--ctx-report, and run it again."
        )
    from longctx.results.store import UNFINISHED

    return said + f"{os.path.relpath(run.folder)}/{UNFINISHED} holds what was measured, without the report."
