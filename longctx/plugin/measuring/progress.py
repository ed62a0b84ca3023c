"""The live progress of the tests, which replaces pytest's letters in the process that started the run.

It is shown on a terminal at pytest's default verbosity if the run has tests of longctx. pytest's own output stays with
-v or -q, with options that write to the same terminal (-s, --setup-show, --pdb and the like), and if another plugin
reports. Workers send the number of trials with their first report.
"""

from __future__ import annotations

import sys
from collections.abc import Generator

import pytest

from longctx.live.display import Display, open_display
from longctx.live.tally import Tally
from longctx.plugin.measuring.properties import read
from longctx.plugin.selection import trials
from longctx.plugin.session import session_of

SENT_TRIALS = "longctx_trials"
"""The attribute of a report, sent by workers: the number of trials of its test, and of all selected tests."""
PAUSE = 0.1
"""Seconds between two drawings. A drawing takes milliseconds, as long as a replayed trial."""


def tell(report: pytest.TestReport, item: pytest.Item) -> None:
    """Add to the report the numbers of trials of its test and of the run."""
    session = session_of(item.config)
    if session.trials is None:
        session.trials = trials(item.session.items)
    if session.trials:
        setattr(report, SENT_TRIALS, (trials([item]), session.trials))


class ReplayProgress:
    """The plugin that draws the progress; it is registered in the process that started the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._session: pytest.Session | None = None
        self._terminal: pytest.TerminalReporter | None = None
        self._live: Display | None = None
        self._tally = Tally(0)
        self._ended: set[str] = set()

    # Wraps all other plugins, so that what they report after the tests is still counted.
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
        own, total = getattr(report, SENT_TRIALS, (0, 0))
        if total:
            self._open(total)
        if self._live is None:
            return
        self._tally.failed += report.failed
        if report.when == "teardown" and report.nodeid not in self._ended:  # a test may run again, or in each worker
            self._ended.add(report.nodeid)
            self._tally.done += own
            for result in read(report):
                self._tally.add(result.test, result.model, result.rate)
        self._show()

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, tuple[str, str, object], tuple[str, str, object]]:
        category, letter, word = yield
        return (category, letter, word) if self._live is None else (category, "", "")

    # pytest is about to write to the terminal and would be drawn over, so the progress ends here.
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
        self._live = open_display(sys.stdout, "replaying", self._tally, keep=True, pause=PAUSE)
        if self._live is None:
            self._terminal = None
            return
        self._terminal.showfspath = False
        self._show()

    def _close(self) -> None:
        """End the progress for good."""
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
    """Return pytest's terminal reporter if the progress may replace its letters; else None."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    may_show = (
        type(reporter) is pytest.TerminalReporter
        and config.option.verbose == config.get_verbosity(pytest.Config.VERBOSITY_TEST_CASES) == 0
        and config.getoption("capture", "no") in ("fd", "sys")
        and not any(config.getoption(name, False) for name in ("setupshow", "usepdb", "trace", "collectonly"))
    )
    return reporter if may_show else None
