"""One line a family: the first thing a reader wants to know of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longctx.results.subject import Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary


@dataclass(frozen=True, slots=True)
class FamilySummary:
    """rate: over all measured trials. lowest, highest: scenarios by their rates; None where nothing was measured."""

    family: str
    subject: Subject
    scenarios: int
    rate: Rate
    lowest: ScenarioSummary | None
    highest: ScenarioSummary | None


def families(scenarios: Sequence[ScenarioSummary]) -> list[FamilySummary]:
    """A summary for each family and subject, in the order in which they come."""
    return [_family(family, subject, group) for (family, subject), group in grouped(scenarios).items()]


def grouped(scenarios: Sequence[ScenarioSummary]) -> dict[tuple[str, Subject], list[ScenarioSummary]]:
    """The scenarios of each family and subject, in the order in which they come."""
    groups: dict[tuple[str, Subject], list[ScenarioSummary]] = {}
    for scenario in scenarios:
        groups.setdefault((scenario.family, scenario.subject), []).append(scenario)
    return groups


def _family(family: str, subject: Subject, group: list[ScenarioSummary]) -> FamilySummary:
    measured = sorted((scenario for scenario in group if scenario.rate.n), key=lambda one: one.rate.rate)
    rate = Rate(sum(scenario.rate.correct for scenario in group), sum(scenario.rate.n for scenario in group))
    lowest, highest = (measured[0], measured[-1]) if measured else (None, None)
    return FamilySummary(family, subject, len(group), rate, lowest, highest)
