"""A family's analysis and its part of the report. A family overrides the methods whose defaults do not suit it."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longctx.errors import UserError
from longctx.registry import loaded, unusable
from longctx.vocabulary.family import Family

if TYPE_CHECKING:
    from longctx.results.row import Row
    from longctx.views.chart import Chart
    from longctx.views.scenario_summary import ScenarioSummary
    from longctx.views.table import Table
    from longctx.views.view import RateView
    from longctx.vocabulary.grid import Axes

Scenarios = Sequence["ScenarioSummary"]
"""The scenarios of one family, for all subjects of a run."""


class Rank(enum.IntEnum):
    """How urgent a finding is, the most urgent first.

    Example:
        >>> Rank.LEVEL < Rank.CAUSE
        True
    """

    UNMEASURED = enum.auto()
    MANY_UNUSABLE = enum.auto()
    """So many replies are unusable that the rates measure the format of the replies."""
    LEVEL = enum.auto()
    """How high the rates are, and up to which length."""
    UNUSABLE = enum.auto()
    CAUSE = enum.auto()
    """Why answers are wrong or right."""
    EFFECT = enum.auto()
    """How a change of the prompt affects the rate."""
    HOLDS = enum.auto()
    """No scenario fails, at any length measured."""


@dataclass(frozen=True, slots=True)
class StatedMinimum:
    """A minimum stated in a profile, tested on a run.

    Example:
        >>> minimum = StatedMinimum(p_value=0.001, below=True, says="1.2 keys a trial, below the minimum of 2")
    """

    p_value: float
    """The p-value of the hypothesis that the minimum is reached; Holm's correction counts it with the bands'."""
    below: bool
    """Whether the complete interval lies below the minimum."""
    says: str
    """A short description of what is missed."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What a family reports of two runs in addition to its bands; only a stated minimum has a verdict.

    `Account.reported` returns them.

    Example:
        >>> reported = Reported(
        ...     kind="keys",
        ...     data={"before": 2.9, "now": 1.2, "minimum": 2},
        ...     table="Keys named in a trial",
        ...     cells={"scenario": "keys-3", "before": "2.9", "now": "1.2", "minimum": "2: below"},
        ...     minimum=minimum,
        ... )
        >>> reported.minimum.below
        True
    """

    kind: str
    """The name of a list in gate.json."""
    data: Mapping[str, Any]
    """The entry there."""
    table: str
    """The title of the table that shows it."""
    cells: Mapping[str, str]
    """Its row there; the first cell is the row's head."""
    minimum: StatedMinimum | None = None

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError if the report could not show it, or if Holm's correction could not count it."""
        if not self.cells:
            raise ValueError("it has no cells for its table")
        json.dumps(dict(self.data))
        if self.minimum and not 0 <= self.minimum.p_value <= 1:
            raise ValueError(f"{self.minimum.p_value} is not a p-value")


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
