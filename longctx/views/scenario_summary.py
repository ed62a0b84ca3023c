"""The summary of one scenario, which reports and views read."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longctx.results.completeness import scenario_name
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.of_rows import rate_of
from longctx.stats.rates import NO_RATE, Rate


@dataclass(frozen=True, slots=True)
class ScenarioSummary:
    """One scenario of one subject.

    Example:
        >>> summary = Run(profile="recorded").measure().summary  # doctest: +SKIP
        >>> for scenario in summary.of("passkey"):  # doctest: +SKIP
        ...     print(scenario.scenario, scenario.rate)
    """

    family: str
    subject: Subject
    scenario: str
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
    family: str, subject: Subject, scenario: str, rows: Sequence[Row], facts: Mapping[str, Mapping[str, int]]
) -> ScenarioSummary:
    """Return the summary of a scenario's rows. facts: those of each scenario by `scenario_name`."""
    outcomes = Counter(str(row.outcome) for row in rows)
    measured = [row for row in rows if row.measured]
    depth = _median([row.depth for row in measured if row.depth is not None])
    distance = _median([row.distance_from_end for row in measured if row.distance_from_end is not None])
    return ScenarioSummary(
        family=family,
        subject=subject,
        scenario=scenario,
        params={**rows[0].params, **facts.get(scenario_name(family, scenario, subject), {})},
        rate=rate_of(measured),
        outcomes=dict(outcomes),
        depth=depth,
        distance_from_end=None if distance is None else int(distance),
        lexical=rate_of((row for row in measured if row.lexical is not None), lambda row: bool(row.lexical)),
    )


def _median(values: Sequence[float]) -> float | None:
    return float(statistics.median(values)) if values else None
