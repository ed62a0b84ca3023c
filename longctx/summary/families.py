"""The summary of each family in one line, which a reader of a run sees first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longctx.results.grouping import grouped
from longctx.results.subject import Subject
from longctx.stats.rates import Rate, pooled
from longctx.views.reporting import ScenarioSummary


@dataclass(frozen=True, slots=True)
class FamilySummary:
    """The summary of one family for one subject.

    lowest, highest: the scenarios with the lowest and the highest rate; None if nothing was measured.
    """

    family: str
    subject: Subject
    scenarios: int
    """The number of scenarios."""
    rate: Rate
    """The rate over all measured trials."""
    lowest: ScenarioSummary | None
    highest: ScenarioSummary | None


def families(scenarios: Sequence[ScenarioSummary]) -> list[FamilySummary]:
    """Return a summary for each family and subject, in their order."""
    return [_family(family, subject, group) for (family, subject), group in by_family_and_subject(scenarios).items()]


def by_family_and_subject(scenarios: Sequence[ScenarioSummary]) -> dict[tuple[str, Subject], list[ScenarioSummary]]:
    """Group scenarios by family and subject, in their order."""
    return grouped(scenarios, lambda scenario: (scenario.family, scenario.subject))


def _family(family: str, subject: Subject, group: list[ScenarioSummary]) -> FamilySummary:
    measured = sorted((scenario for scenario in group if scenario.rate.n), key=lambda scenario: scenario.rate.rate)
    rate = pooled(scenario.rate for scenario in group)
    lowest, highest = (measured[0], measured[-1]) if measured else (None, None)
    return FamilySummary(family, subject, len(group), rate, lowest, highest)
