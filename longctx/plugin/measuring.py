"""What the cells of a test measured, from the test to the session: properties of its report, rows on disk, progress."""

from __future__ import annotations

import copy
import dataclasses
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from longctx.errors import UserError
from longctx.gate.minimum import Requirement, shortfalls
from longctx.plugin import hooks
from longctx.plugin.rewriting_hooks import is_implemented
from longctx.plugin.selection import cells, trials
from longctx.plugin.session import run_of, session_of, state_of
from longctx.plugin.workers import is_worker
from longctx.stats.rates import Rate

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.live.display import Display, Tally
    from longctx.report.verdict_blocks import TextChange
    from longctx.results.row import Row
    from longctx.results.sent_texts import SentText

SENT_TRIALS = "longctx_trials"
"""The attribute of a report, sent by workers: the number of trials of its test, and of all selected tests.

Without a progress, that of their cells.
"""
PAUSE = 0.1
"""Seconds between two drawings. A drawing takes milliseconds, as long as a replayed trial."""


def attach_trials(report: pytest.TestReport, item: pytest.Item) -> None:
    """Add to the report the numbers of trials of its test and of the run."""
    session = session_of(item.config)
    count = trials if session.draws_progress else cells  # counting trials reads what they draw from
    if session.trials is None:
        session.trials = count(item.session.items)
    if session.trials:
        setattr(report, SENT_TRIALS, (count([item]), session.trials))


class ReplayProgress:
    """The plugin that draws the progress; it is registered in the process that started the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._session: pytest.Session | None = None
        self._terminal: pytest.TerminalReporter | None = None
        self._live: Display | None = None
        self._tally: Tally
        self._ended: set[str] = set()

    # Wraps all other plugins, so that what they report after the tests is still counted.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        self._session, self._terminal = session, terminal_of_progress(self._config)
        session_of(self._config).draws_progress = self._terminal is not None
        if self._terminal and (total := trials(session.items)):
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
            for result in results_of(report):
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
        from longctx.live.display import Tally, open_display

        self._tally = Tally(total)
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


def terminal_of_progress(config: pytest.Config) -> pytest.TerminalReporter | None:
    """Return pytest's terminal reporter if the progress may replace its letters; else None."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    may_show = (
        type(reporter) is pytest.TerminalReporter
        and sys.stdout.isatty()
        and config.option.verbose == config.get_verbosity(pytest.Config.VERBOSITY_TEST_CASES) == 0
        and config.getoption("capture", "no") in ("fd", "sys")
        and not any(config.getoption(name, False) for name in ("setupshow", "usepdb", "trace", "collectonly"))
    )
    return reporter if may_show else None


FIRST = "test"


@dataclass(frozen=True, slots=True)
class CellResult:
    """The result of one cell."""

    test: str
    cell: str
    model: str
    prompt_set: str
    rate: Rate
    tokens: int
    """The input and output tokens of its measured trials."""
    minimum: float | None = None
    """The minimum rate, if it is tested against one."""

    @classmethod
    def of(cls, cell: Cell, rows: Sequence[Row], minimum: float | None) -> CellResult:
        from longctx.stats.rates import rate_of

        return cls(
            test=cell.point.test,
            cell=cell.point.slug,
            model=cell.model.model,
            prompt_set=cell.wording.prompt_set,
            rate=rate_of(row for row in rows if row.measured),
            tokens=sum((row.input_tokens or 0) + (row.output_tokens or 0) for row in rows),
            minimum=minimum,
        )

    def attach(self, item: pytest.Item) -> None:
        """Add the result to the properties of the test's report. Without a measured trial it has no accuracy."""
        rate = self.rate
        properties: list[tuple[str, object]] = [
            (FIRST, self.test),
            ("cell", self.cell),
            ("model", self.model),
            ("prompt_set", self.prompt_set),
            ("n", rate.n),
            ("correct", rate.correct),
            ("tokens", self.tokens),
        ]
        if rate.n:
            properties += [("rate", round(rate.rate, 6)), ("lo", round(rate.lo, 6)), ("hi", round(rate.hi, 6))]
        if self.minimum is not None:
            properties += [("minimum", self.minimum), ("design_effect", rate.effect), ("clusters", rate.clusters)]
        item.user_properties += properties


def forget_results(item: pytest.Item) -> None:
    """Forget the properties of an earlier run of the test: a plugin may run a failed one again."""
    state = state_of(item)
    if state.own_properties is None:
        state.own_properties = len(item.user_properties)
    del item.user_properties[state.own_properties :]


def results_of(report: pytest.TestReport) -> Iterator[CellResult]:
    """Yield the results that `attach` added. A test may measure several cells, and have other properties too."""
    results: list[dict[str, object]] = []
    for name, value in report.user_properties:
        if name == FIRST:
            results.append({})
        if results:
            results[-1].setdefault(name, value)
    for result in results:
        match result:
            case {
                "test": str(test),
                "cell": str(cell),
                "model": str(model),
                "prompt_set": str(prompt_set),
                "n": int(n),
                "correct": int(correct),
                "tokens": int(tokens),
            }:
                minimum, effect, clusters = (result.get(key) for key in ("minimum", "design_effect", "clusters"))
                required = float(minimum) if isinstance(minimum, int | float) else None
                effect = float(effect) if isinstance(effect, int | float) else 1.0
                rate = Rate(correct, n, effect, clusters if isinstance(clusters, int) else 0)
                yield CellResult(test, cell, model, prompt_set, rate, tokens, required)


ROW = "pytest_longctx_row"
SENT = "longctx_rows"
"""The attribute of a test's report with the lines of its measured trials, as results/store.py writes them."""
FAILED_OUTSIDE = "failed_outside"
"""Why a trial is not measured whose test another plugin failed."""
FAILED = (
    "{name} passed, but another plugin reports a failure. It is unknown which trials it concerns, so none is "
    "measured: use assert, ctx.check or subtests instead."
)
SENT_FACTS = "longctx_facts"
"""The attribute with the facts of its cells, by their names."""
SENT_TEXTS = "longctx_texts"
"""The attribute with the texts that its trials sent, each as the fields of a SentText."""
SENT_CHANGES = "longctx_changes"
"""The attribute with what changed since its recording, each as the fields of a TextChange."""
SENT_USED = "longctx_used"
"""The attribute with the answers that its trials were given, by the key of its cell."""


def hold_rows(item: pytest.Item, lines: Sequence[str]) -> None:
    """Let the test's next report carry these lines."""
    state_of(item).lines += lines


def hold_facts(item: pytest.Item, cell: str, facts: Mapping[str, int]) -> None:
    """Let the test's next report carry the facts of a cell."""
    state_of(item).facts[cell] = dict(facts)


def hold_texts(item: pytest.Item, texts: Sequence[SentText]) -> None:
    """Let the test's next report carry the texts that its trials sent."""
    state_of(item).texts += map(tuple, texts)


def hold_changes(item: pytest.Item, changes: Sequence[TextChange]) -> None:
    """Let the test's next report carry what changed since its recording."""
    state_of(item).changes += map(dataclasses.astuple, changes)


def attach_rows(report: pytest.TestReport, item: pytest.Item) -> None:
    """Move the lines and facts of a test to its report."""
    state = state_of(item)
    if state.lines and report.failed and state.if_failed:
        state.lines = state.if_failed()
        report.sections.append(("longctx", FAILED.format(name=item.name)))
    state.if_failed = None  # the test may run again
    if state.lines:
        setattr(report, SENT, state.lines)
        setattr(report, SENT_FACTS, state.facts)
        setattr(report, SENT_USED, state.used)
        setattr(report, SENT_TEXTS, state.texts)
        setattr(report, SENT_CHANGES, state.changes)
        state.lines, state.facts, state.used, state.texts, state.changes = [], {}, {}, [], []


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
        used = report.__dict__.pop(SENT_USED, {})
        texts = report.__dict__.pop(SENT_TEXTS, [])
        changes = report.__dict__.pop(SENT_CHANGES, [])
        if lines is None or is_rerun(report):
            return
        session = session_of(self._config)
        session.facts.update(facts)
        session.used.update(used)
        from longctx.results.sent_texts import SentText, SentTexts
        from longctx.results.store import append, row_of

        session.texts = session.texts or SentTexts()
        session.texts.update(SentText(*sent) for sent in texts)
        session.changes.update(dict.fromkeys(changes))

        session.received = True
        if not session.unwritten:
            try:
                append(session.run.folder, lines)
            except UserError as error:
                self._end(str(error))
        if is_implemented(self._config, ROW):
            for line in lines:
                row = row_of(line.partition("\t")[0], session.run.folder)
                hooks.call_hook(self._config, ROW, row=row)

    def _end(self, why: str) -> None:
        """End the run, because its report would lack rows."""
        session_of(self._config).unwritten = why
        # With xdist, an attribute of its own session ends the run.
        distributed = self._config.pluginmanager.get_plugin("dsession")
        if distributed is not None:
            distributed.shouldstop = "the report cannot be written"
        elif self._session is not None:
            self._session.shouldfail = "the report cannot be written"


class Minimum:
    """The plugin that tests minimum rates over a whole run; it is registered in the process that started the run.

    Holm's later steps need the results of all cells and are taken at the end. A test fails at once if Holm's first step
    already shows it below the minimum. Its report carries its result to the process that started the run, which fails
    the tests that only a later step shows to be below.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reports: list[tuple[pytest.TestReport, Requirement]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not is_rerun(report) and (results := list(results_of(report))):
            required = [Requirement(each.rate, each.minimum) for each in results if each.minimum is not None]
            session_of(self._config).has_minimum[report.nodeid] = bool(required)
            self._reports += [(report, requirement) for requirement in required]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        result = yield
        reports, self._reports = self._reports, []
        for report, requirement in shortfalls(reports):
            if report.passed:
                self._report_failed(report, str(requirement))
        return result

    def _report_failed(self, passed: pytest.TestReport, why: str) -> None:
        """Replace the report of a passed test by one that it failed."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.stats["passed"].remove(passed)
        failed = copy.copy(passed)
        failed.outcome = "failed"
        failed.longrepr = why
        self._config.hook.pytest_runtest_logreport(report=failed)
