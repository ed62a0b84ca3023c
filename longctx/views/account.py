"""A family's analysis and its part of the report. A family overrides the methods whose defaults do not suit it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx.errors import UserError
from longctx.registry import loaded, unusable
from longctx.vocabulary.family import Family
from longctx.vocabulary.report import Rank, Reported

if TYPE_CHECKING:
    from longctx.results.row import Row
    from longctx.views.chart import Chart
    from longctx.views.scenario_summary import ScenarioSummary
    from longctx.views.table import Table
    from longctx.views.view import RateView
    from longctx.vocabulary.grid import Axes

Scenarios = Sequence["ScenarioSummary"]
"""The scenarios of one family, for all subjects of a run."""


class Account:
    """A family's contributions to the report and the gate.

    The methods' `analysis` is what `analyse` returned; None if the family measures only rates.

    Example:
        >>> class EchoAccount(Account):
        ...     def analyse(self, scenarios, rows):
        ...         return sum(row.trace.get("digits", 0) for row in rows)
        ...
        ...     def findings(self, scenarios, analysis):
        ...         yield Rank.CAUSE, f"{analysis:,} digits are repeated."
        >>> [finding] = EchoAccount().findings([], 12)
        >>> finding[1]
        '12 digits are repeated.'
    """

    def analyse(self, scenarios: Scenarios, rows: Sequence[Row]) -> Any:
        """Return what is measured in addition to rates. rows: the family's measured trials."""
        return None

    def views(self, scenarios: Scenarios, analysis: Any) -> Iterable[RateView]:
        """Return the family's views, each of which gives charts, tables and findings.

        A family without any has a curve for each of its numbers and the effect of each other parameter.
        """
        return ()

    def tables(self, scenarios: Scenarios, analysis: Any) -> Iterable[Table] | None:
        """Return the family's tables, by default those of its views; None for a list of scenarios and their rates."""
        return [table for view in self.views(scenarios, analysis) for table in view.tables()] or None

    def charts(self, scenarios: Scenarios, analysis: Any) -> Iterable[Chart] | None:
        """Return the family's charts, by default those of its views; None for those of a family without views.

        scenarios: those with at least one measured trial.
        """
        views = list(self.views(scenarios, analysis))
        return [chart for view in views for chart in view.charts()] if views else None

    def further_tables(self, analysis: Any) -> Iterable[Table]:
        """Return tables that are shown on the page only, next to its charts."""
        return ()

    def findings(self, scenarios: Scenarios, analysis: Any) -> Iterable[tuple[Rank, str]]:
        """Return the main findings, each a sentence with its rank; by default the rates that fall in its views."""
        views = self.views(scenarios, analysis)
        return [(Rank.LEVEL, sentence) for view in views for sentence in view.findings()]

    def reported(self, before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Sequence[Reported]:
        """Return what a gate reports of two runs in addition to the verdicts on their bands.

        before, after: the rows of one subject in the baseline and in the run. grids: the tables that the profile has
        for this family and model.
        """
        return ()

    def data(self, analysis: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return the family's entries in summary.json, by the name of their list."""
        return {}


def account_of(family: Family) -> Account:
    """Load the account of a family, by default one that adds nothing. Raises UserError."""
    if family.report:
        from longctx.views.declared import DeclaredAccount

        return DeclaredAccount(family.name, family.title, family.unit, family.report)
    if not family.account:
        return Account()
    try:
        made: object = loaded(family.account, type)()
    except Exception as error:
        raise unusable(f"The protocol {family.name!r}", family.account, error) from error
    if not isinstance(made, Account):
        raise UserError(
            "not-an-account",
            f"The protocol {family.name!r} names {family.account}, which is not a subclass of Account: make it one.",
        )
    return made
