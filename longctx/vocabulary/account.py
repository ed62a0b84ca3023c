"""A family's analysis and its part of the report. A family overrides the methods whose defaults do not suit it."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longctx.compare.pairs import TrialPairs
    from longctx.report.charts.chart import Chart
    from longctx.report.table import Table
    from longctx.results.row import Row
    from longctx.summary.summary import ScenarioSummary
    from longctx.vocabulary.grid import Grid
    from longctx.vocabulary.hypothesis import Hypothesis
    from longctx.vocabulary.scenario import Scenario

Scenarios = Sequence["ScenarioSummary"]
"""The scenarios of one family, for all subjects of a run."""


class Rank(enum.IntEnum):
    """How urgent a finding is, the most urgent first."""

    UNMEASURED = enum.auto()
    MANY_UNUSABLE = enum.auto()
    """So many replies are unusable that the rates measure the format of the replies."""
    LEVEL = enum.auto()
    """How high the rates are, and up to which length."""
    UNUSABLE = enum.auto()
    CAUSE = enum.auto()
    """Why answers are wrong or right."""
    EFFECT = enum.auto()
    """What a change of the prompt does to the rate."""
    HOLDS = enum.auto()
    """No scenario fails, at any length measured."""


class Account:
    """A family's contributions to the report, the gate and the plan.

    The methods' `analysis` is what `analyse` returned; None if the family measures nothing beside rates.
    """

    def analyse(self, scenarios: Scenarios, rows: Sequence[Row]) -> Any:
        """Return what is measured beside rates. rows: the family's measured trials."""
        return None

    def tables(self, scenarios: Scenarios, analysis: Any) -> Iterable[Table] | None:
        """Return the family's tables; None for the default, a list of scenarios and their rates."""
        return None

    def charts(self, scenarios: Scenarios, analysis: Any) -> Iterable[Chart] | None:
        """Return the family's charts; None for the default, the rate of each scenario.

        scenarios: those with at least one measured trial.
        """
        return None

    def further_tables(self, analysis: Any) -> Iterable[Table]:
        """Return tables that are shown on the page only, next to its charts."""
        return ()

    def findings(self, scenarios: Scenarios, analysis: Any) -> Iterable[tuple[Rank, str]]:
        """Return the findings that stand out, each a sentence with its rank."""
        return ()

    hypothesis: tuple[str, str] = ("", "")
    """The planner's name for the hypotheses that the family adds to the gate, in the singular and the plural."""

    def hypotheses(self, pairs: TrialPairs, model: str, grids: Sequence[Grid]) -> Sequence[Hypothesis]:
        """Return what the gate judges beside the rates of bands.

        grids: the tables that the profile has for this family and model.
        """
        return ()

    def planned(self, scenarios: Sequence[Scenario]) -> int:
        """Return how many hypotheses these scenarios of one subject add to the gate."""
        return 0

    def data(self, analysis: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return the family's entries in summary.json, by the name of their list."""
        return {}
