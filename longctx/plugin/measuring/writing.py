"""What tests measured, on its way to disk: it travels in their reports, and the process that started the run writes it.

Workers write nothing, so that they may stand on another host; one that dies loses no test that has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from longctx.errors import UserError
from longctx.plugin.ending.unwritten import UNWRITTEN
from longctx.plugin.run import RUN

SENT = "longctx_rows"
"""Attribute of a test's report: the lines of the trials it measured, as results/store.py keeps them."""
SENT_FACTS = "longctx_facts"
"""Another: what is told once of the scenarios that it measured, by their names."""
UNSENT = pytest.StashKey[list[str]]()
UNSENT_FACTS = pytest.StashKey[dict[str, dict[str, int]]]()
"""Where a test keeps them until its next report is made."""
FACTS = pytest.StashKey[dict[str, dict[str, int]]]()
"""Where a Config keeps what was told of all scenarios, in the process that started the run."""
MEASURED = pytest.StashKey[bool]()
"""In the stash of a Config that was sent any."""


def attach(item: pytest.Item, lines: Sequence[str]) -> None:
    """Let the test's next report carry these lines."""
    item.stash.setdefault(UNSENT, []).extend(lines)


def attach_facts(item: pytest.Item, scenario: str, facts: Mapping[str, int]) -> None:
    """Let it carry what is told once of a scenario, too."""
    item.stash.setdefault(UNSENT_FACTS, {})[scenario] = dict(facts)


def tell(report: pytest.TestReport, item: pytest.Item) -> None:
    if lines := item.stash.get(UNSENT, []):
        setattr(report, SENT, lines)
        setattr(report, SENT_FACTS, item.stash.get(UNSENT_FACTS, {}))
        item.stash[UNSENT], item.stash[UNSENT_FACTS] = [], {}


def was_measured(config: pytest.Config) -> bool:
    """Whether this process was sent any row."""
    return MEASURED in config.stash


def is_to_be_closed(session: pytest.Session) -> bool:
    """Whether this process is to close the run: something was measured, or it is a shard that no scenario falls to,
    whose folder tells that it ran."""
    if was_measured(session.config):
        return True
    run = session.config.stash[RUN]
    began = not (run.worker or session.config.option.collectonly or session.testsfailed)
    return run.settings.shard is not None and began


class RowWriter:
    """Registered in the process that started the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # Taken from the report, since pytest keeps all reports in memory, and other plugins may write them.
        lines: list[str] | None = report.__dict__.pop(SENT, None)
        self._config.stash.setdefault(FACTS, {}).update(report.__dict__.pop(SENT_FACTS, {}))
        if lines is None:
            return
        from longctx.results.store import append

        self._config.stash[MEASURED] = True
        if UNWRITTEN not in self._config.stash:
            try:
                append(self._config.stash[RUN].folder, lines)
            except UserError as error:
                self._end(str(error))

    def _end(self, why: str) -> None:
        """End the run: its report would lack rows."""
        self._config.stash[UNWRITTEN] = why
        # With xdist, what ends a run is an attribute of its own session.
        distributed = self._config.pluginmanager.get_plugin("dsession")
        if distributed is not None:
            distributed.shouldstop = "the report cannot be written"
        elif self._session is not None:
            self._session.shouldfail = "the report cannot be written"
