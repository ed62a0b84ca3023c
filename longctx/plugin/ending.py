"""The end of a run in the process that started it: the report is written and shown."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

from longctx.engine.finish import Finished, finish
from longctx.engine.servers import nothing_sent
from longctx.errors import UserError
from longctx.extras import writes_page
from longctx.plugin import hooks, measuring, notices, report_folder, selected_tests
from longctx.plugin.session import LongctxSession, run_of, session_of
from longctx.report.document import as_terminal as document_as_terminal
from longctx.report.terminal import as_terminal, run_line
from longctx.results import store

if TYPE_CHECKING:
    from longctx.engine.run import Run


def close_run(config: pytest.Config) -> None:
    """Write the run's folder, completely or not at all."""
    run = run_of(config)
    session = session_of(config)
    if not session.unwritten:
        try:
            if not measuring.has_rows(config):
                store.append(run.folder, [])
            selected_tests.load_reports_of_workers(config)
            done = session.finished = finish(run, session.facts, functools.partial(_keep, session), _counts(config))
        except UserError as error:
            session.unwritten = str(error)
    if session.unwritten:
        report_folder.delete_rows_without_report(run)
        return
    if run.settings.save_baseline and not run.settings.shard:
        _save_baseline(config, run)
    hooks.call_hook(config, "pytest_longctx_report", folder=run.folder, summary=done.summary, verdict=done.verdict)


def _counts(config: pytest.Config) -> dict[str, int]:
    """Return how many tests passed, failed and so on, as pytest's last line counts them."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    stats = terminal.stats if terminal is not None else {}
    return {outcome: len(stats[outcome]) for outcome in ("passed", "failed", "error") if stats.get(outcome)}


def _save_baseline(config: pytest.Config, run: Run) -> None:
    """Save the run as the baseline that an option names; keep what is said of it, or why it cannot be saved."""
    from longctx.engine.baselines import save

    assert run.settings.save_baseline
    session = session_of(config)
    try:
        session.saved += save(run.workspace, run.settings.save_baseline, run.folder)
    except UserError as error:
        session.not_saved = True
        session.saved.append(f"! The baseline {run.settings.save_baseline} was not saved: {error}")


def _keep(session: LongctxSession, finished: Finished) -> None:
    session.finished = finished


def print_run(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the tests, what needs attention, the path of the report, and warnings; under -qq the path alone."""
    session = session_of(config)
    run, finished = session.run, session.finished
    assert finished is not None
    folder, verbosity = os.path.relpath(run.folder), config.get_verbosity()
    replays = run.settings.record == "none"
    if verbosity > -2 and (sentence := nothing_sent(run, finished.record.rows)):
        terminal.ensure_newline()
        terminal.write_line(f"longctx: {sentence}", yellow=True)
    if verbosity >= 0:
        terminal.ensure_newline()
        mode = "replay only" if replays else f"record mode {run.settings.record}"
        terminal.write_line(run_line(finished.summary, notices.profile(run), mode), bold=True)
    if verbosity > -2:
        quoted = shlex.quote(folder)
        gated = finished.document is not None
        terminal.write_line(as_terminal(finished.summary, replays, verbosity, quoted, gated))
        if verbosity >= 0 and not (gated or run.settings.shard):
            for sentence in _cannot_fail(terminal, session.has_minimum):
                terminal.write_line(sentence)
    if session.unwritten:
        return
    page = "index.html" if writes_page(run.settings.page) else "summary.md"
    latest = run.workspace.reports / "latest"
    shown = os.path.relpath(latest) if latest.is_dir() and latest.resolve() == run.folder.resolve() else folder
    terminal.write_line(f"Report: {shown}/{page}")
    if verbosity < -1:
        return
    for sentence in session.saved:
        terminal.write_line(sentence)
    if run.settings.shard:
        terminal.write_line(
            f"This is shard {run.settings.shard} of its grid: longctx merge merges it with the others, tests the "
            "minimum rates, and gives the verdict."
        )
    if run.settings.no_text:
        terminal.write_line("Kept without text (LONGCTX_TEXT=0): the answers of this run cannot be replayed.")
    for warning in [*finished.summary.faults, *finished.warnings, *session.faults.values()]:
        terminal.write_line(f"! {warning}", yellow=True)


def _cannot_fail(terminal: pytest.TerminalReporter, has_minimum: Mapping[str, bool]) -> Iterator[str]:
    """Yield a sentence if tests passed that have no minimum accuracy."""
    passed = [has_minimum[report.nodeid] for report in terminal.getreports("passed") if report.nodeid in has_minimum]
    if not all(passed):
        few = f"{passed.count(False):,} of the {len(passed):,} tests that passed"
        which = few if any(passed) else "these tests"
        yield f"no min_rate: accuracy cannot fail {which}"


def print_verdict(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the verdict, if there is one."""
    finished = session_of(config).finished
    if finished and (document := finished.document):
        in_full = config.get_verbosity() > 0
        terminal.write_line(f"\n{document_as_terminal(document)}" if in_full else f"\n{document.brief}\n")
