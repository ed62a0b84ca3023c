"""The end of a run in the process that started it: the report is written and shown."""

from __future__ import annotations

import functools
import os
import shlex

import pytest

from longctx.engine.finish import Finished, finish
from longctx.errors import UserError
from longctx.extras import writes_page
from longctx.plugin import hooks
from longctx.plugin.ending import gating, unwritten
from longctx.plugin.measuring import writing
from longctx.plugin.run import FINISHED, RUN
from longctx.report.document import as_terminal as document_as_terminal
from longctx.report.text import as_terminal
from longctx.results import store


def close_run(config: pytest.Config) -> None:
    """Write the run's folder, completely or not at all."""
    run = config.stash[RUN]
    if unwritten.UNWRITTEN not in config.stash:
        facts = config.stash.get(writing.FACTS, {})
        try:
            if not writing.has_rows(config):
                store.append(run.folder, [])
            config.stash[FINISHED] = finish(run, facts, functools.partial(_keep, config))
        except UserError as error:
            config.stash[unwritten.UNWRITTEN] = str(error)
    if unwritten.UNWRITTEN in config.stash:
        unwritten.tidy(run)
        return
    done = config.stash[FINISHED]
    hooks.tell(config, "pytest_longctx_report", folder=run.folder, summary=done.summary, verdict=done.verdict)


def _keep(config: pytest.Config, finished: Finished) -> None:
    config.stash[FINISHED] = finished
    if finished.verdict:
        config.stash[gating.VERDICT] = finished.verdict
        config.stash[gating.HEADLINE] = finished.headline


def show(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the tables, the path of the report, and warnings."""
    run, finished = config.stash[RUN], config.stash[FINISHED]
    terminal.section("longctx")
    folder = os.path.relpath(run.folder)
    terminal.write_line(as_terminal(finished.summary, shlex.quote(folder)))
    if unwritten.UNWRITTEN in config.stash:
        return
    page = "index.html" if writes_page(run.settings.page) else "summary.md"
    terminal.write_line(f"\nReport: {folder}/{page}, rows in results.jsonl beside it.")
    if run.settings.shard:
        terminal.write_line(
            f"This is shard {run.settings.shard} of its grid: longctx merge joins it with the others, tests the "
            "minimum rates, and gives the verdict."
        )
    if run.settings.no_text:
        terminal.write_line(
            "Kept without text (--ctx-no-text): the answers that this run asked for cannot be replayed."
        )
    for warning in [*finished.summary.faults, *finished.warnings, *config.stash.get(hooks.FAULTS, {}).values()]:
        terminal.write_line(warning, yellow=True)


def show_verdict(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the verdict, if there is one."""
    if document := config.stash[FINISHED].document:
        terminal.write_line(f"\n{document_as_terminal(document)}")
