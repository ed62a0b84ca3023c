"""The live progress of the tests, in the process that started the run. It takes the place of pytest's letters.

Shown on a terminal, at pytest's default verbosity, where the run has tests of ours; elsewhere pytest's own output is
left as it is: with -v or -q, with -s, --setup-show, --pdb and the like, which write to the same terminal, or where
another plugin reports. Workers tell how many trials there are with their first report.
"""

from __future__ import annotations

import sys
from collections.abc import Generator

import pytest

from longctx.live.drawn import Live, open_live
from longctx.live.tally import Tally
from longctx.plugin.measuring.properties import read
from longctx.plugin.selection import trials

TOLD = "longctx_trials"
"""Attribute of a test's reports, which travels from a worker: the trials of this test, and of all that are selected."""
TOTAL = pytest.StashKey[int]()
PAUSE = 0.1
"""Seconds between two drawings: one takes milliseconds, as a replayed trial does."""


def tell(report: pytest.TestReport, item: pytest.Item) -> None:
    """Let the report tell how many trials its test has, and the run."""
    stash = item.session.stash
    if TOTAL not in stash:
        stash[TOTAL] = trials(item.session.items)
    if stash[TOTAL]:
        setattr(report, TOLD, (trials([item]), stash[TOTAL]))


class Replaying:
    """Registered in the process that started the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._session: pytest.Session | None = None
        self._terminal: pytest.TerminalReporter | None = None
        self._live: Live | None = None
        self._tally = Tally(0)
        self._ended: set[str] = set()

    # Around all others, so that what they report when the tests are done is still part of it.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        self._session, self._terminal = session, _terminal(self._config)
        if total := trials(session.items):
            self._open(total)
        try:
            return (yield)
        finally:
            self._close()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        own, total = getattr(report, TOLD, (0, 0))
        if total:
            self._open(total)
        if self._live is None:
            return
        self._tally.failed += report.failed
        if report.when == "teardown" and report.nodeid not in self._ended:  # it may be run again, or by each worker
            self._ended.add(report.nodeid)
            self._tally.done += own
            for result in read(report):
                self._tally.add(result.family, result.model, result.rate)
        self._show()

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, tuple[str, str, object], tuple[str, str, object]]:
        category, letter, word = yield
        return (category, letter, word) if self._live is None else (category, "", "")

    # What pytest writes now would be drawn over: from here on its own output goes on.
    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self, error: object) -> None:
        if error:
            self._close()

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self) -> None:
        self._close()

    def _open(self, total: int) -> None:
        if self._terminal is None or self._live is not None:
            return
        self._tally.total = total
        self._live = open_live(sys.stdout, "replaying", self._tally, keep=True, pause=PAUSE)
        if self._live is None:
            self._terminal = None
            return
        self._terminal.showfspath = False
        self._show()

    def _close(self) -> None:
        """For good."""
        if self._live is not None:
            self._live.close()
        self._terminal = self._live = None

    def _show(self) -> None:
        assert self._live is not None
        assert self._session is not None
        self._live.show(
            f"{len(self._ended):,} of {self._session.testscollected:,} tests",
            f"{self._tally.done:,} of {self._tally.total:,} trials",
            f"{self._tally.failed:,} failed" if self._tally.failed else None,
        )


def _terminal(config: pytest.Config) -> pytest.TerminalReporter | None:
    """pytest's own reporter, where this progress may take the place of its letters."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    may_show = (
        type(reporter) is pytest.TerminalReporter
        and config.option.verbose == config.get_verbosity(pytest.Config.VERBOSITY_TEST_CASES) == 0
        and config.getoption("capture", "no") in ("fd", "sys")
        and not any(config.getoption(name, False) for name in ("setupshow", "usepdb", "trace", "collectonly"))
    )
    return reporter if may_show else None
