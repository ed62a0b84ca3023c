"""The sections of a run's page: one for each test, with its charts and tables, and one for all tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longctx.report.effective_lengths import effective_lengths
from longctx.report.first_table import own_test
from longctx.report.function_reports import function_reports_of
from longctx.report.svg import Drawn
from longctx.report.tables import tables
from longctx.report.text import answer_sentences
from longctx.results.grouping import grouped
from longctx.summary.summary import Summary, lines
from longctx.text import usd
from longctx.views.chart import Table


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn chart with the table of its numbers."""

    title: str
    svg: str
    table: Table
    note: str
    """A sentence below it; often empty."""


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of the page with a heading."""

    id: str
    """Its anchor."""
    title: str
    rates: list[str]
    """The lines of the first table, for each subject."""
    figures: list[Figure]
    tables: list[Table]
    answers: list[str]
    """What a test was run for, in sentences."""

    @property
    def curve(self) -> Figure | None:
        """The first of the figures that has a curve."""
        return next((figure for figure in self.figures if "<polyline" in figure.svg), None)


def tests_of(summary: Summary) -> dict[str, list[str]]:
    """Return the tests of each test: its own and those of its checks, in the order of the summary."""
    return grouped(summary.tests, lambda name: own_test(summary, name))


def _check(name: str, test: str) -> str:
    """Return the name of a check in its test."""
    return name.removeprefix(f"{test}.")


def sections(summary: Summary, drawn: Sequence[Drawn]) -> Iterator[PageSection]:
    """Yield a section for each test with its checks, in the order of the summary, then one for all tests."""
    all_tables, every = tables(summary), lines(summary)
    several = len({line.subject for line in every}) > 1
    for test, members in tests_of(summary).items():
        figures = [_figure(chart) for chart in drawn if chart.chart.test in members]
        own: list[Table] = []
        for name in members:
            member = summary.tests[name]
            own += [table for table in all_tables if table.test == name]
            own += [*member.reporting.further_tables(member.analysis), *effective_lengths(member.lengths)]
        undrawn = [table for table in own if not _is_drawn(table, figures)]
        rates = [
            f"{_check(name, test)}: " * (name != test)
            + f"{'; '.join(line.in_full)} n={line.n:,}"
            + f", {line.subject}" * several
            for name in members
            for line in every
            if line.test == name
        ]
        parts = function_reports_of(summary.tests[test])
        told = answer_sentences(summary.tests[test]) or [said for part, found in parts for said in part.told(found)]
        yield PageSection(test.replace("_", "-"), summary.title(test), rates, figures, undrawn, told)
    figures = [_figure(chart) for chart in drawn if not chart.chart.test]
    yield PageSection("all-tests", "All tests", [], figures, [_usage(summary)], [])


def _is_drawn(table: Table, figures: Sequence[Figure]) -> bool:
    """Return whether a figure shows the numbers of this table."""
    return any((table.columns, table.rows) == (figure.table.columns, figure.table.rows) for figure in figures)


def _figure(drawn: Drawn) -> Figure:
    return Figure(drawn.chart.title, drawn.svg, drawn.chart.table, drawn.chart.note)


def _usage(summary: Summary) -> Table:
    rows = [
        {
            "test": summary.title(usage.test),
            "model": usage.model,
            "input tokens": f"{usage.input:,}",
            "read from cache": "-" if usage.cached is None or not usage.input else f"{usage.cached / usage.input:.0%}",
            "written to cache": f"{usage.written / usage.input:.0%}" if usage.input else "-",
            "output tokens": f"{usage.output:,}",
            "latency, median": f"{usage.latency_s[0]:.2f} s" if usage.latency_s else "-",
            "latency, 95%": f"{usage.latency_s[1]:.2f} s" if usage.latency_s else "-",
            "cost": "-" if usage.cost_usd is None else usd(usage.cost_usd),
        }
        for usage in summary.usage
    ]
    return Table.from_rows("Tokens, latency and cost", rows)
