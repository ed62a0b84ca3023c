"""What a protocol adds to a report and to a gate. A report without declarations adds nothing."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from longctx.vocabulary.report import Rank, Report, Reported

if TYPE_CHECKING:
    from longctx.results.row import Row
    from longctx.views.answers import CellSummaries
    from longctx.views.chart import Chart, Table
    from longctx.views.view import RatePoint, RateView
    from longctx.vocabulary.grid import Axes


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

    def figure(self, cells: CellSummaries) -> str | Sequence[RatePoint] | None:
        """Return what the first table shows of one subject's measured cells; None for accuracies by what varies."""
        return None

    def reported(self, before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Sequence[Reported]:
        """Return what a gate reports of two runs in addition to the verdicts on their bands.

        before, after: the measured rows of one subject in the baseline and in the run. grids: the tables that the
        profile has for this test and model.
        """
        return ()

    def data(self, analysis: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return the entries in summary.json, by the name of their list."""
        return {}


def adds_to_gate(report: Report | None) -> bool:
    """Return whether a report, of which only the name may be known, adds to the gate."""
    return report is None or report.gate is not None


RESERVED = frozenset(
    ("schema", "run", "trials", "errors", "usage", "costs", "answered", "cells", "figures"),
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
                    f"The report of {self._title} failed in `{name}`, and has only the default parts there: "
                    f"{described(error)}."
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
    figure = _guarded(Reporting.figure)
    data = _guarded(Reporting.data)


def _checked(result: Any, method: str) -> Any:
    """Return what a method returned. Raises ValueError for entries of summary.json that are not its own."""
    if method == "data" and (taken := sorted((RESERVED | OF_TESTS) & result.keys())):
        raise ValueError(f"summary.json already has entries called {', '.join(taken)}")
    return result


def described(error: Exception) -> str:
    """Describe an exception of a test's own code: its type, its message, and where it was raised."""
    *_, last = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
