"""What a protocol adds to a report and to a gate. One that declares nothing adds nothing."""

from __future__ import annotations

import statistics
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from longctx.registry import loaded, unusable
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.store import cell_name
from longctx.results.subject import Subject
from longctx.stats.rates import NO_RATE, Rate, rate_of
from longctx.vocabulary.protocol import Protocol
from longctx.vocabulary.report import Rank, Report, Reported

if TYPE_CHECKING:
    from longctx.views.chart import Chart, Table
    from longctx.views.view import RateView
    from longctx.vocabulary.grid import Axes


CellSummaries = Sequence["CellSummary"]
"""The cells of one test, for all subjects of a run."""
Reports = Mapping[str, Report | None]
"""The reports that test functions declare, by their names; None if only the name is known, and it adds to the gate."""
UNITS = ("tokens", "lines")
"""The parameters of test functions that are called what they count."""


class Reporting:
    """What is reported of a protocol or a test function that declares no report.

    The methods' `analysis` is what `analyse` returned; None if only rates are measured.
    """

    def analyse(self, cells: CellSummaries, rows: Sequence[Row]) -> Any:
        """Return what is measured in addition to rates. rows: the measured trials."""
        return None

    def views(self, cells: CellSummaries, analysis: Any) -> Iterable[RateView]:
        """Return the views, each of which gives charts, tables and findings.

        Without any, there is a curve for each number and the effect of each other parameter.
        """
        return ()

    def tables(self, cells: CellSummaries, analysis: Any) -> Iterable[Table] | None:
        """Return the tables, by default those of the views; None for a list of cells and their rates."""
        return [table for view in self.views(cells, analysis) for table in view.tables()] or None

    def charts(self, cells: CellSummaries, analysis: Any) -> Iterable[Chart] | None:
        """Return the charts, by default those of the views; None for those of a test without views.

        cells: those with at least one measured trial.
        """
        views = list(self.views(cells, analysis))
        return [chart for view in views for chart in view.charts()] if views else None

    def further_tables(self, analysis: Any) -> Iterable[Table]:
        """Return tables that are shown on the page only, next to the charts."""
        return ()

    def findings(self, cells: CellSummaries, analysis: Any) -> Iterable[tuple[Rank, str]]:
        """Return the main findings, each a sentence with its rank; by default the rates that fall in the views."""
        views = self.views(cells, analysis)
        return [(Rank.LEVEL, sentence) for view in views for sentence in view.findings()]

    def reported(self, before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Sequence[Reported]:
        """Return what a gate reports of two runs in addition to the verdicts on their bands.

        before, after: the measured rows of one subject in the baseline and in the run. grids: the tables that the
        profile has for this test and model.
        """
        return ()

    def data(self, analysis: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return the entries in summary.json, by the name of their list."""
        return {}


def reporting_of(test: Protocol) -> Reporting:
    """Load what a test declares of its report. Raises UserError."""
    from longctx.views.declared import DeclaredReporting

    report = test.report
    if isinstance(report, str):
        try:
            report = loaded(report, Report)
        except Exception as error:
            raise unusable(f"The protocol {test.name!r}", str(test.report), error) from error
    return DeclaredReporting(test.name, test.title, test.unit, report) if report else Reporting()


def reporting_of_test(name: str, report: Report) -> Reporting:
    """Return what a test function declares of its report in its marker."""
    from longctx.views.declared import DeclaredReporting

    return DeclaredReporting(name, name, report.x if report.x in UNITS else "", report)


def adds_to_gate(report: Report | None) -> bool:
    """Return whether a report, of which only the name may be known, adds to the gate."""
    return report is None or report.gate is not None


RESERVED = frozenset(
    ("schema", "run", "trials", "errors", "usage", "costs", "answered", "scenarios"),
)
"""The entries of summary.json that no test may add."""
OF_TESTS = frozenset(("retention", "windows", "chunks", "judges", "effective_lengths"))
"""Such entries that not every run has."""

Method = TypeVar("Method", bound=Callable[..., Any])


def _guarded(default: Method) -> Method:
    """Return a method that calls the report's own, and `default`, that of Reporting, if it fails or has no analysis."""
    name = default.__name__

    def call(self: Guarded, *arguments: Any) -> Any:
        if "analyse" not in self._failed:
            try:
                result = getattr(self._reporting, name)(*arguments)
                return _checked(list(result) if isinstance(result, Iterator) else result, name)
            except Exception as error:
                self._failed[name] = (
                    f"The report of {self._title} failed in `{name}`, and is plain there: {described(error)}."
                )
        return default(self, *arguments)

    return cast(Method, call)


class Guarded(Reporting):
    """The report of a protocol; methods that raise give the default of Reporting instead. faults: a sentence for each.

    The gate, for which no default will do, calls the report itself.
    """

    def __init__(self, title: str, reporting: Reporting) -> None:
        self._title, self._reporting = title, reporting
        self._failed: dict[str, str] = {}

    @property
    def faults(self) -> list[str]:
        return list(self._failed.values())

    analyse = _guarded(Reporting.analyse)
    views = _guarded(Reporting.views)
    tables = _guarded(Reporting.tables)
    charts = _guarded(Reporting.charts)
    further_tables = _guarded(Reporting.further_tables)
    findings = _guarded(Reporting.findings)
    data = _guarded(Reporting.data)


def _checked(result: Any, method: str) -> Any:
    """Return what a method returned. Raises ValueError for entries of summary.json that are not its own."""
    if method == "data" and (taken := sorted((RESERVED | OF_TESTS) & result.keys())):
        raise ValueError(f"summary.json has entries of its own called {', '.join(taken)}")
    return result


def described(error: Exception) -> str:
    """Describe an exception of a test's own code: its type, its message, and where it was raised."""
    *_, last = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"


@dataclass(frozen=True, slots=True)
class CellSummary:
    """One cell of one subject.

    Example:
        >>> summary = Run(profile="recorded").measure().summary  # doctest: +SKIP
        >>> for cell in summary.of("passkey"):  # doctest: +SKIP
        ...     print(cell.cell, cell.rate)
    """

    test: str
    subject: Subject
    cell: str
    """Its slug."""
    params: Mapping[str, int | float | str | None]
    """Its parameters and its facts."""
    rate: Rate
    outcomes: Mapping[str, int]
    """The number of trials of each kind of outcome."""
    depth: float | None
    """The median depth of the needle."""
    distance_from_end: int | None
    """The median distance from the needle to the end of the prompt, in tokens."""
    lexical: Rate = NO_RATE
    """How many of the measured trials the lexical baseline answers; of no trials if they are not about documents."""


def summary_of(
    test: str, subject: Subject, cell: str, rows: Sequence[Row], facts: Mapping[str, Mapping[str, int]]
) -> CellSummary:
    """Return the summary of a cell's rows. facts: those of each cell by `cell_name`."""
    outcomes = Counter(str(row.outcome) for row in rows)
    measured = [row for row in rows if row.measured]
    depth = _median([row.depth for row in measured if row.depth is not None])
    distance = _median([row.distance_from_end for row in measured if row.distance_from_end is not None])
    return CellSummary(
        test=test,
        subject=subject,
        cell=cell,
        params={**rows[0].params, **facts.get(cell_name(test, cell, subject), {})},
        rate=rate_of(measured),
        outcomes=dict(outcomes),
        depth=depth,
        distance_from_end=None if distance is None else int(distance),
        lexical=rate_of((row for row in measured if row.lexical is not None), lambda row: bool(row.lexical)),
    )


def _median(values: Sequence[float]) -> float | None:
    return float(statistics.median(values)) if values else None


@dataclass(frozen=True, slots=True)
class Answers:
    """The measured trials of one subject in one cell, or in several that a report puts together.

    Example:
        >>> answers = Answers(Subject("my-model", "protocol"), "keys-3", {"keys": 3}, rows=[])
        >>> answers.n, answers.total("found")
        (0, 0)
    """

    subject: Subject
    cell: str
    """The slug of the cell; of several, of the first."""
    params: Mapping[str, Any]
    """The parameters of the cell; of several, of the first."""
    rows: Sequence[Row]
    cells: Sequence[CellSummary] = ()
    """The summaries of the cells, those without a measured trial included."""

    @property
    def n(self) -> int:
        return len(self.rows)

    def total(self, key: str) -> int:
        """Return the sum of a number in the traces."""
        return sum(row.trace.get(key, 0) for row in self.rows)

    def count(self, held: Callable[[Row], bool]) -> int:
        """Return how many trials this is true of."""
        return sum(map(held, self.rows))

    def rate(self, held: Callable[[Row], bool] | None = None, among: Callable[[Row], bool] = bool) -> Rate:
        """Return the rate of right answers, or that of trials of which `held` is true, with its interval.

        among: which trials are counted, by default all.
        """
        return rate_of(filter(among, self.rows), held)


def together(several: Sequence[Answers]) -> Answers:
    """Return all Answers of one subject as one."""
    first = several[0]
    rows = [row for answers in several for row in answers.rows]
    return Answers(first.subject, first.cell, first.params, rows, [each for a in several for each in a.cells])


Key = tuple[object, ...]


def key_of(of: Row | CellSummary | Answers, by: Sequence[str] = ()) -> Key:
    """Return what tells the Answers of a row or a cell from others. by: the parameters that do; by default its slug."""
    return (of.subject, *(of.params.get(name) for name in by)) if by else (of.subject, of.cell)


def answers_of(cells: Sequence[CellSummary], rows: Sequence[Row], by: Sequence[str] = ()) -> list[Answers]:
    """Return the Answers of a protocol, in the order of its cells. Those of unmeasured cells have no rows."""
    summaries = grouped(cells, lambda cell: key_of(cell, by))
    measured = grouped(rows, lambda row: key_of(row, by))
    found = []
    for key in dict.fromkeys((*summaries, *measured)):
        first = [*summaries.get(key, ()), *measured.get(key, ())][0]
        of_key = (first.subject, first.cell, first.params, measured.get(key, ()), summaries.get(key, ()))
        found.append(Answers(*of_key))
    return found
