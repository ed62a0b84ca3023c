"""How measured rows reach the disk: tests send them in their reports, and the process that started the run writes them.

Workers write nothing, so that they can run on another host. A worker that dies loses no test that has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from longctx.errors import UserError
from longctx.plugin import hooks
from longctx.plugin.ending.unwritten import UNWRITTEN
from longctx.plugin.run import RUN, is_worker

ROW = "pytest_longctx_row"
SENT = "longctx_rows"
"""The attribute of a test's report with the lines of its measured trials, as results/store.py writes them."""
SENT_FACTS = "longctx_facts"
"""The attribute with the facts of its scenarios, by their names."""
UNSENT = pytest.StashKey[list[str]]()
UNSENT_FACTS = pytest.StashKey[dict[str, dict[str, int]]]()
"""The keys under which a test keeps both until its next report is made."""
FACTS = pytest.StashKey[dict[str, dict[str, int]]]()
"""The key of the facts of all scenarios in the Config of the process that started the run."""
RECEIVED = pytest.StashKey[bool]()
"""A key that this Config\'s stash has once any lines were received."""


def attach(item: pytest.Item, lines: Sequence[str]) -> None:
    """Let the test's next report carry these lines."""
    item.stash.setdefault(UNSENT, []).extend(lines)


def attach_facts(item: pytest.Item, scenario: str, facts: Mapping[str, int]) -> None:
    """Let the test's next report carry the facts of a scenario."""
    item.stash.setdefault(UNSENT_FACTS, {})[scenario] = dict(facts)


def tell(report: pytest.TestReport, item: pytest.Item) -> None:
    """Move the lines and facts of a test to its report."""
    if lines := item.stash.get(UNSENT, []):
        setattr(report, SENT, lines)
        setattr(report, SENT_FACTS, item.stash.get(UNSENT_FACTS, {}))
        item.stash[UNSENT], item.stash[UNSENT_FACTS] = [], {}


def is_rerun(report: pytest.TestReport) -> bool:
    """Return whether another plugin, such as pytest-rerunfailures, runs the failed test again: then that run counts."""
    outcome: str = report.outcome
    return outcome == "rerun"


def has_rows(config: pytest.Config) -> bool:
    """Return whether this process received any rows."""
    return RECEIVED in config.stash


def is_to_be_closed(session: pytest.Session) -> bool:
    """Return whether this process has to close the run.

    It has if something was measured, or if the run is a shard without scenarios: its folder then shows that it ran.
    """
    if has_rows(session.config):
        return True
    run = session.config.stash[RUN]
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
        self._config.stash.setdefault(FACTS, {}).update(facts)
        from longctx.results.store import append, row_of

        self._config.stash[RECEIVED] = True
        if UNWRITTEN not in self._config.stash:
            try:
                append(self._config.stash[RUN].folder, lines)
            except UserError as error:
                self._end(str(error))
        if hooks.is_implemented(self._config, ROW):
            for line in lines:
                row = row_of(line.partition("\t")[0], self._config.stash[RUN].folder)
                hooks.tell(self._config, ROW, row=row)

    def _end(self, why: str) -> None:
        """End the run, because its report would lack rows."""
        self._config.stash[UNWRITTEN] = why
        # With xdist, an attribute of its own session ends the run.
        distributed = self._config.pluginmanager.get_plugin("dsession")
        if distributed is not None:
            distributed.shouldstop = "the report cannot be written"
        elif self._session is not None:
            self._session.shouldfail = "the report cannot be written"
