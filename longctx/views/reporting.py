"""What a protocol adds to a report and to a gate. One that declares nothing adds nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx.registry import loaded, unusable
from longctx.vocabulary.protocol import Protocol
from longctx.vocabulary.report import Rank, Report, Reported

if TYPE_CHECKING:
    from longctx.results.row import Row
    from longctx.views.chart import Chart
    from longctx.views.scenario_summary import ScenarioSummary
    from longctx.views.table import Table
    from longctx.views.view import RateView
    from longctx.vocabulary.grid import Axes

Scenarios = Sequence["ScenarioSummary"]
"""The scenarios of one family, for all subjects of a run."""
Reports = Mapping[str, Report | None]
"""The reports that test functions declare, by their names; None if only the name is known, and it adds to the gate."""
UNITS = ("tokens", "lines")
"""The parameters of test functions that are called what they count."""


class Reporting:
    """What is reported of a protocol or a test function that declares no report.

    The methods' `analysis` is what `analyse` returned; None if only rates are measured.
    """

    def analyse(self, scenarios: Scenarios, rows: Sequence[Row]) -> Any:
        """Return what is measured in addition to rates. rows: the measured trials."""
        return None

    def views(self, scenarios: Scenarios, analysis: Any) -> Iterable[RateView]:
        """Return the views, each of which gives charts, tables and findings.

        Without any, there is a curve for each number and the effect of each other parameter.
        """
        return ()

    def tables(self, scenarios: Scenarios, analysis: Any) -> Iterable[Table] | None:
        """Return the tables, by default those of the views; None for a list of scenarios and their rates."""
        return [table for view in self.views(scenarios, analysis) for table in view.tables()] or None

    def charts(self, scenarios: Scenarios, analysis: Any) -> Iterable[Chart] | None:
        """Return the charts, by default those of the views; None for those of a test without views.

        scenarios: those with at least one measured trial.
        """
        views = list(self.views(scenarios, analysis))
        return [chart for view in views for chart in view.charts()] if views else None

    def further_tables(self, analysis: Any) -> Iterable[Table]:
        """Return tables that are shown on the page only, next to the charts."""
        return ()

    def findings(self, scenarios: Scenarios, analysis: Any) -> Iterable[tuple[Rank, str]]:
        """Return the main findings, each a sentence with its rank; by default the rates that fall in the views."""
        views = self.views(scenarios, analysis)
        return [(Rank.LEVEL, sentence) for view in views for sentence in view.findings()]

    def reported(self, before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Sequence[Reported]:
        """Return what a gate reports of two runs in addition to the verdicts on their bands.

        before, after: the measured rows of one subject in the baseline and in the run. grids: the tables that the
        profile has for this family and model.
        """
        return ()

    def data(self, analysis: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return the entries in summary.json, by the name of their list."""
        return {}


def reporting_of(family: Protocol) -> Reporting:
    """Load what a family declares of its report. Raises UserError."""
    from longctx.views.declared import DeclaredReporting

    report = family.report
    if isinstance(report, str):
        try:
            report = loaded(report, Report)
        except Exception as error:
            raise unusable(f"The protocol {family.name!r}", str(family.report), error) from error
    return DeclaredReporting(family.name, family.title, family.unit, report) if report else Reporting()


def reporting_of_test(name: str, report: Report) -> Reporting:
    """Return what a test function declares of its report in its marker."""
    from longctx.views.declared import DeclaredReporting

    return DeclaredReporting(name, name, report.x if report.x in UNITS else "", report)


def adds_to_gate(report: Report | None) -> bool:
    """Return whether a report, of which only the name may be known, adds to the gate."""
    return report is None or report.gate is not None
