"""The summary of a run: the rate of each cell, and each test's own analysis.

What a reader must know of the answers beside their rates: another model gave them, or they were cut off.

A rate that is low because replies were cut off tells more about the limit than about the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from longctx.compare.across import Curve, curves
from longctx.compare.judges import GradedTest, graded_tests
from longctx.registry import in_order, shipped
from longctx.results.row import THINKING, WITHOUT_TEXT, Row, Subject, grouped
from longctx.stats.rates import Rate, pooled, rate_of
from longctx.summary.costs import Cost, UsageSummary, costs, usage
from longctx.summary.tests import Retention, Retrieval, Window, retention, retrievals, windows
from longctx.views.answers import CellSummary, summary_of
from longctx.views.declared import reporting_of, reporting_of_test
from longctx.views.reporting import Guarded, Reporting, Reports
from longctx.vocabulary.cell import is_check
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.report import Report


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
    without_text: Mapping[tuple[str, Subject], tuple[int, int]] = field(default_factory=dict)
    """How many trials of each test and subject passed on an answer without text, and how many passed."""
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
        without_text=passed_without_text(measured),
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


@dataclass(frozen=True, slots=True)
class SummaryOfTest:
    """The summary of one test for one subject.

    lowest, highest: the cells with the lowest and the highest rate; None if nothing was measured.
    """

    test: str
    subject: Subject
    cells: int
    """The number of cells."""
    rate: Rate
    """The rate over all measured trials."""
    lowest: CellSummary | None
    highest: CellSummary | None


def summaries_of_tests(cells: Sequence[CellSummary]) -> list[SummaryOfTest]:
    """Return a summary for each test and subject, in their order."""
    return [_test(test, subject, group) for (test, subject), group in by_test_and_subject(cells).items()]


def by_test_and_subject(cells: Sequence[CellSummary]) -> dict[tuple[str, Subject], list[CellSummary]]:
    """Group cells by test and subject, in their order."""
    return grouped(cells, lambda cell: (cell.test, cell.subject))


def _test(test: str, subject: Subject, group: list[CellSummary]) -> SummaryOfTest:
    measured = sorted((cell for cell in group if cell.rate.n), key=lambda cell: cell.rate.rate)
    rate = pooled(cell.rate for cell in group)
    lowest, highest = (measured[0], measured[-1]) if measured else (None, None)
    return SummaryOfTest(test, subject, len(group), rate, lowest, highest)


BANDS = 10


@dataclass(frozen=True, slots=True)
class HeatmapCell:
    """One cell of a heatmap."""

    test: str
    subject: Subject
    size: int
    """The length of the context in lines or tokens."""
    depth: int
    """Its tenth, from 0 to 9."""
    rate: Rate
    common: bool
    """Whether all cells of the heatmap count the same variants, and no other."""


def heatmap(measured: Sequence[Row], tests: Mapping[str, Protocol]) -> Iterator[HeatmapCell]:
    """Yield the cells of the heatmap.

    measured: the rows of measured trials. tests: those that are known; a test whose size is None has no needle and
    is left out. The cells count the variants that are asked at every length, or all variants if there is none such.
    """
    placed = [row for row in measured if row.depth is not None and _parameter(row.test, tests) is not None]
    for (test, subject), rows in grouped(placed, lambda row: (row.test, row.subject)).items():
        parameter = _parameter(test, tests) or ""
        of_size = grouped(rows, partial(_size, parameter))
        variant = tests[test].variant if test in tests else ""
        asked = [{row.params.get(variant) for row in group} for group in of_size.values()]
        common = set.intersection(*asked)
        for size, group in of_size.items():
            counted = [row for row in group if not common or row.params.get(variant) in common]
            for tenth, rows_there in grouped(counted, _tenth).items():
                yield HeatmapCell(test, subject, size, tenth, rate_of(rows_there), bool(common))


def _tenth(row: Row) -> int:
    return min(max(int((row.depth or 0) * BANDS), 0), BANDS - 1)


def _parameter(test: str, tests: Mapping[str, Protocol]) -> str | None:
    """Return the parameter of a test that holds the length of its context; empty if the test is not known."""
    return tests[test].context if test in tests else ""


def _size(parameter: str, row: Row) -> int:
    """Return the length of the context: the parameter's value, or the prompt's tokens rounded to one digit."""
    return int(row.params[parameter] or 0) if parameter else int(float(f"{row.input_tokens or 0:.0e}"))


NOTABLE = 0.05
"""The least share of a test's replies that must be cut off to be reported."""
WINDOW_FULL = "model_context_window_exceeded"
"""The stop reason of a reply that was cut off because the window was full, and not by max_tokens."""
MOST = 0.5
"""The least share of a test's failures that must be cut off to be reported."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to `model` that another model gave."""

    model: str
    by: str
    """The model that the answers name."""
    number: int
    """How many answers do."""
    of: int
    """The number of measured trials of `model`."""


def answered_as_another(measured: Sequence[Row], sent_as: Mapping[str, str]) -> tuple[Answered, ...]:
    """Return what other models answered.

    measured: the rows of measured trials. sent_as: the id by which the provider knows a model, if it is another.
    """
    pairs = Counter((row.model, row.model_returned or "") for row in measured)
    totals = Counter(row.model for row in measured)
    return tuple(
        Answered(model, by, number, totals[model])
        for (model, by), number in pairs.items()
        if by not in ("", model, sent_as.get(model))
    )


@dataclass(frozen=True, slots=True)
class Truncated:
    """The replies of a test that were cut off.

    cell, trial: the first of them.
    """

    test: str
    subject: Subject
    number: int
    """How many were."""
    of: int
    """The number of measured trials."""
    tokens: tuple[int, int]
    """The lengths of the shortest and the longest of them."""
    full: bool
    """Whether most were cut off because the window was full, and not by max_tokens."""
    cell: str
    trial: str


def truncated(measured: Sequence[Row]) -> tuple[Truncated, ...]:
    """Return the tests with a notable share of replies that were cut off. measured: the rows of measured trials."""
    return tuple(_notable(measured))


def thinking_in_text(measured: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return by model how many replies contain thinking in their text, and of how many."""
    totals = Counter(row.model for row in measured)
    thinking = Counter(row.model for row in measured if THINKING in row.trace)
    return {model: (number, totals[model]) for model, number in thinking.items()}


def passed_without_text(measured: Sequence[Row]) -> dict[tuple[str, Subject], tuple[int, int]]:
    """Return by test and subject how many trials passed on an answer without text, and how many passed."""
    passed = Counter((row.test, row.subject) for row in measured if row.correct)
    empty = Counter((row.test, row.subject) for row in measured if WITHOUT_TEXT in row.trace)
    return {of: (number, passed[of]) for of, number in empty.items()}


def _notable(measured: Sequence[Row]) -> Iterator[Truncated]:
    for (test, subject), rows in grouped(measured, lambda row: (row.test, row.subject)).items():
        cut = [row for row in rows if row.outcome == "truncated"]
        if not cut or len(cut) < max(NOTABLE * len(rows), MOST * sum(not row.correct for row in rows)):
            continue
        tokens = [row.output_tokens or 0 for row in cut]
        yield Truncated(
            test=test,
            subject=subject,
            number=len(cut),
            of=len(rows),
            tokens=(min(tokens), max(tokens)),
            full=sum(row.stop_reason == WINDOW_FULL for row in cut) / len(cut) > MOST,
            cell=cut[0].cell,
            trial=cut[0].name,
        )
