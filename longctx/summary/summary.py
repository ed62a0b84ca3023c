"""The summary of a run: the rate of each cell, and each test's own analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx.compare.across import Curve, curves
from longctx.compare.judges import GradedTest, graded_tests
from longctx.registry import in_order, shipped
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.summary.chunks import Retrieval, retrievals
from longctx.summary.costs import Cost, UsageSummary, costs, usage
from longctx.summary.heatmap import HeatmapCell, heatmap
from longctx.summary.notes import Answered, Truncated, answered_as_another, thinking_in_text, truncated
from longctx.summary.retention import Retention, retention
from longctx.summary.window import Window, windows
from longctx.views.reporting import (
    CellSummary,
    Guarded,
    Reporting,
    Reports,
    reporting_of,
    reporting_of_test,
    summary_of,
)
from longctx.vocabulary.protocol import Protocol
from longctx.vocabulary.report import Report
from longctx.vocabulary.test import is_check


@dataclass(frozen=True, slots=True)
class OfTest:
    """A test in a run. `variant` and `size` are `Protocol.variant` and `Protocol.context`."""

    title: str
    unit: str
    """The unit of its contexts' lengths."""
    variant: str
    reporting: Reporting
    analysis: Any
    """The result of `reporting.analyse`."""
    size: str | None = ""
    parameters: tuple[str, ...] = ()
    """The parameters that tell its cells apart; empty if the test is not installed."""
    retention: tuple[Retention, ...] = ()
    """What survives of transcripts, for test functions that ask about one."""
    windows: tuple[Window, ...] = ()
    """Accuracy by the fill of the window, for test functions that vary it."""
    retrievals: tuple[Retrieval, ...] = ()
    """Accuracy by the number of retrieved chunks, for test functions that vary it."""
    lengths: tuple[Curve, ...] = ()
    """The rates along the length, of subjects with several lengths: they give the effective lengths."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a run.

    live, replayed, unmeasured: numbers of trials.
    """

    cells: tuple[CellSummary, ...]
    heatmap_cells: tuple[HeatmapCell, ...]
    usage: tuple[UsageSummary, ...]
    live: int
    replayed: int
    unmeasured: int
    recorded: tuple[str, str] | None
    """The dates of the first and the last replayed answer."""
    errors: Mapping[str, int] = field(default_factory=dict)
    """How many trials were not measured for each cause."""
    costs: tuple[Cost, ...] = ()
    answered: tuple[Answered, ...] = ()
    truncated: tuple[Truncated, ...] = ()
    tests: Mapping[str, OfTest] = field(default_factory=dict)
    """The tests of the run in their order."""
    thinking: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """How many replies of each model contain thinking in their text, and how many it has."""
    graded: tuple[GradedTest, ...] = ()
    """The test functions that a judge grades."""

    def of(self, test: str) -> list[CellSummary]:
        """Return the cells of a test."""
        return [cell for cell in self.cells if cell.test == test]

    @property
    def faults(self) -> list[str]:
        """A sentence on each failure of the tests' own code. The list is complete once the report is written."""
        reports = (test.reporting for test in self.tests.values())
        return [fault for report in reports if isinstance(report, Guarded) for fault in report.faults]

    def title(self, test: str) -> str:
        """Return a test's title; its name if it is not installed."""
        return self.tests[test].title if test in self.tests else test


def summarize(
    rows: Sequence[Row],
    prices_of: Mapping[str, str] | None = None,
    sent_as: Mapping[str, str] | None = None,
    tests: Mapping[str, Protocol] | None = None,
    facts: Mapping[str, Mapping[str, int]] | None = None,
    reports: Reports | None = None,
) -> Summary:
    """Summarize the rows of a run; the cells keep their order within each test.

    prices_of: the date of each model's prices. sent_as: the id by which the provider knows a model, if it is another.
    tests: the known ones, by default those of longctx. facts: the facts of each cell by `cell_name`. reports:
    those of test functions.
    """
    known = shipped() if tests is None else tests
    rows = [rows[place] for place in in_order([row.test for row in rows], known)]
    groups = grouped(rows, lambda row: (row.test, row.subject, row.cell))
    cells = tuple(summary_of(*key, group, facts or {}) for key, group in groups.items())
    measured = [row for row in rows if row.measured]
    replayed = [row for row in rows if row.source == "replayed"]
    days = sorted(str(row.recorded_at)[:10] for row in replayed)
    of_tests = grouped(measured, lambda row: row.test)
    return Summary(
        cells=cells,
        heatmap_cells=tuple(heatmap(measured, known)),
        tests={
            name: _of_test(name, known.get(name) or (reports or {}).get(name), cells, of_tests.get(name, []))
            for name in dict.fromkeys(cell.test for cell in cells)
        },
        usage=usage(measured),
        live=sum(row.source == "live" for row in rows),
        replayed=len(replayed),
        unmeasured=len(rows) - len(measured),
        recorded=(days[0], days[-1]) if days else None,
        errors=dict(Counter(row.error for row in rows if row.error is not None)),
        costs=costs(measured, prices_of or {}),
        answered=answered_as_another(measured, sent_as or {}),
        truncated=truncated(measured),
        thinking=thinking_in_text(measured),
        graded=graded_tests(measured),
    )


def _of_test(
    name: str, declared: Protocol | Report | None, cells: Sequence[CellSummary], measured: Sequence[Row]
) -> OfTest:
    """Analyse a test. declared: None if it is not installed and reports nothing. measured: its measured rows."""
    test = declared if isinstance(declared, Protocol) else None
    reporting = Guarded(test.title, reporting_of(test)) if test else Reporting()
    if isinstance(declared, Report):
        reporting = Guarded(name, reporting_of_test(name, declared))
    own = [cell for cell in cells if cell.test == name]
    return OfTest(
        test.title if test else name,
        test.unit if test else "tokens",
        test.variant if test else "",
        reporting,
        reporting.analyse(own, measured),
        test.context if test else "",
        test.cell.identified_by if test else (),
        () if test or is_check(name) else retention(measured),
        () if test or is_check(name) else windows(measured),
        () if test or is_check(name) else retrievals(measured),
        () if is_check(name) else tuple(curves(measured, {name: test} if test else {})),
    )
