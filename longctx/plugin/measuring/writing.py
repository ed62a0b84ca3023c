"""How measured rows reach the disk: tests send them in their reports, and the process that started the run writes them.

Workers write nothing, so that they can run on another host. A worker that dies loses no test that has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from longctx.errors import UserError
from longctx.plugin import hooks
from longctx.plugin.run import is_worker
from longctx.plugin.session import run_of, session_of, state_of

ROW = "pytest_longctx_row"
SENT = "longctx_rows"
"""The attribute of a test's report with the lines of its measured trials, as results/store.py writes them."""
FAILED_OUTSIDE = "failed_outside"
"""Why a trial is not measured whose test another plugin failed."""
FAILED = (
    "{name} raised nothing, and another plugin reports a failure. Which trials it concerns is not known, so none is "
    "measured: use assert, ctx.check or subtests instead."
)
SENT_FACTS = "longctx_facts"
"""The attribute with the facts of its cells, by their names."""


def attach(item: pytest.Item, lines: Sequence[str]) -> None:
    """Let the test's next report carry these lines."""
    state_of(item).lines += lines


def attach_facts(item: pytest.Item, cell: str, facts: Mapping[str, int]) -> None:
    """Let the test's next report carry the facts of a cell."""
    state_of(item).facts[cell] = dict(facts)


def tell(report: pytest.TestReport, item: pytest.Item) -> None:
    """Move the lines and facts of a test to its report."""
    state = state_of(item)
    if state.lines and report.failed and state.if_failed:
        state.lines = state.if_failed()
        report.sections.append(("longctx", FAILED.format(name=item.name)))
    state.if_failed = None  # the test may run again
    if state.lines:
        setattr(report, SENT, state.lines)
        setattr(report, SENT_FACTS, state.facts)
        state.lines, state.facts = [], {}


def is_rerun(report: pytest.TestReport) -> bool:
    """Return whether another plugin, such as pytest-rerunfailures, runs the failed test again: then that run counts."""
    outcome: str = report.outcome
    return outcome == "rerun"


def has_rows(config: pytest.Config) -> bool:
    """Return whether this process received any rows."""
    return session_of(config).received


def is_to_be_closed(session: pytest.Session) -> bool:
    """Return whether this process has to close the run.

    It has if something was measured, or if the run is a shard without cells: its folder then shows that it ran.
    """
    if has_rows(session.config):
        return True
    run = run_of(session.config)
    began = not (is_worker(session.config) or session.config.option.collectonly or session.testsfailed)
    return run.settings.shard is not None and began


class RowWriter:
    """The plugin that writes the rows; it is registered in the process that started the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # Removed from the report, because pytest keeps all reports in memory and other plugins may write them.
        lines: list[str] | None = report.__dict__.pop(SENT, None)
        facts = report.__dict__.pop(SENT_FACTS, {})
        if lines is None or is_rerun(report):
            return
        session = session_of(self._config)
        session.facts.update(facts)
        from longctx.results.store import append, row_of

        session.received = True
        if not session.unwritten:
            try:
                append(session.run.folder, lines)
            except UserError as error:
                self._end(str(error))
        if hooks.is_implemented(self._config, ROW):
            for line in lines:
                row = row_of(line.partition("\t")[0], session.run.folder)
                hooks.tell(self._config, ROW, row=row)

    def _end(self, why: str) -> None:
        """End the run, because its report would lack rows."""
        session_of(self._config).unwritten = why
        # With xdist, an attribute of its own session ends the run.
        distributed = self._config.pluginmanager.get_plugin("dsession")
        if distributed is not None:
            distributed.shouldstop = "the report cannot be written"
        elif self._session is not None:
            self._session.shouldfail = "the report cannot be written"
