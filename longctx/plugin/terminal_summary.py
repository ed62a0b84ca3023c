"""What is shown at the end of a run: tests, what needs attention, the path of the report, the verdict."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping

import pytest

from longctx.engine.servers import nothing_sent
from longctx.extras import writes_page
from longctx.plugin import notices
from longctx.plugin.session import session_of
from longctx.report.document import as_terminal as document_as_terminal
from longctx.report.terminal import as_terminal, run_line


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


def print_changes(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what changed since the recordings that are stale."""
    session = session_of(config)
    if not session.changes:
        return
    from longctx.engine.changed_texts import first_changes
    from longctx.report.blocks import terminal_blocks
    from longctx.report.verdict_blocks import TextChange, diffs

    found = first_changes(TextChange(*fields) for fields in sorted(session.changes))
    terminal.ensure_newline()
    terminal.write_line(terminal_blocks([*diffs("What changed since the recording: ", found)]))


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
