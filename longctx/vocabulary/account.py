"""What is measured of a family and how it is shown. A family overrides what the plain ways of a report do not serve."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longctx.compare.pairs import Pairs
    from longctx.report.charts.chart import Chart
    from longctx.report.table import Table
    from longctx.results.row import Row
    from longctx.summary.summary import ScenarioSummary
    from longctx.vocabulary.grid import Grid
    from longctx.vocabulary.hypothesis import Hypothesis
    from longctx.vocabulary.scenario import Scenario

Scenarios = Sequence["ScenarioSummary"]
"""Those of one family, of all subjects of a run."""


class Rank(enum.IntEnum):
    """How urgent a finding is, the most urgent first."""

    UNMEASURED = enum.auto()
    MANY_UNUSABLE = enum.auto()
    """So many replies are unusable that rates tell of their form."""
    LEVEL = enum.auto()
    """How well, and how far."""
    UNUSABLE = enum.auto()
    CAUSE = enum.auto()
    """Why answers are wrong, or right."""
    EFFECT = enum.auto()
    """What a change of the prompt does."""
    HOLDS = enum.auto()
    """Nothing fails, however far it was measured."""


class Account:
    """analysis: what `analyse` gave; None where a family has nothing of its own to tell."""

    def analyse(self, scenarios: Scenarios, rows: Sequence[Row]) -> Any:
        """What is measured beside rates. rows: of the family's measured trials."""
        return None

    def tables(self, scenarios: Scenarios, analysis: Any) -> Iterable[Table] | None:
        """None: a plain list of scenarios and their rates."""
        return None

    def charts(self, scenarios: Scenarios, analysis: Any) -> Iterable[Chart] | None:
        """None: the rate of each scenario. scenarios: those in which something was measured."""
        return None

    def further_tables(self, analysis: Any) -> Iterable[Table]:
        """Tables that the page alone has, beside its charts."""
        return ()

    def findings(self, scenarios: Scenarios, analysis: Any) -> Iterable[tuple[Rank, str]]:
        """What stands out, a sentence each."""
        return ()

    hypothesis: tuple[str, str] = ("", "")
    """What the planner calls a hypothesis that the family adds to the gate: one, and several."""

    def hypotheses(self, pairs: Pairs, model: str, grids: Sequence[Grid]) -> Sequence[Hypothesis]:
        """What the gate judges beside the rates of bands. grids: the profile's tables of the family for the model."""
        return ()

    def planned(self, scenarios: Sequence[Scenario]) -> int:
        """How many hypotheses scenarios of one subject add to the gate."""
        return 0

    def data(self, analysis: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """For summary.json: name -> entries."""
        return {}
