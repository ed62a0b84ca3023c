"""What aggregation reports: strict rates with the mean partial credit beside them, and whether counts are too high."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longctx import Account, Rank, RateView, Reported, ScenarioSummary, Subject, Table
from longctx.protocols.aggregation import OFF
from longctx.results.grouping import by_subject, grouped
from longctx.vocabulary.scenario import CREDIT

if TYPE_CHECKING:
    from longctx import Axes, Row

NAME, TITLE = "aggregation", "Aggregation"
ENOUGH = 10
"""The wrong counts needed before a finding says which way they are off."""
MOST = 0.8
"""The share of them that is off the same way."""


@dataclass(frozen=True, slots=True)
class Credit:
    """The partial credit of one scenario of one subject.

    mean: over all measured trials, 0 for a reply without an answer. low, high: the counts that are too low, too high.
    """

    subject: Subject
    scenario: str
    trials: int
    mean: float
    low: int
    high: int


class AggregationAccount(Account):
    """The account of aggregation. analysis: the credit of each scenario."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Credit, ...]:
        cells = grouped(rows, lambda row: (row.subject, row.scenario))
        return tuple(
            Credit(
                subject,
                scenario,
                len(group),
                sum(row.trace.get(CREDIT, 0) for row in group) / 1000 / len(group),
                sum(row.trace.get(OFF, 0) < 0 for row in group),
                sum(row.trace.get(OFF, 0) > 0 for row in group),
            )
            for (subject, scenario), group in cells.items()
        )

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Credit]) -> Iterator[RateView]:
        yield RateView.by_window(scenarios, asked, name="aggregation-by-window", heading=TITLE)

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Credit]) -> Iterator[Table]:
        """Yield a table for each subject: strict rates with the mean credit beside them."""
        credits = {(each.subject, each.scenario): f"{each.mean:.2f}" for each in analysis}
        for subject, group in by_subject(scenarios).items():
            rows = [
                {
                    "asked": asked(scenario.params),
                    "window": f"{scenario.params['window']:,}",
                    "right [95% interval]": str(scenario.rate),
                    "mean partial credit": credits.get((subject, scenario.scenario), "-"),
                }
                for scenario in group
            ]
            yield Table.from_rows(f"{TITLE}, {subject}", rows)

    def findings(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Credit]) -> Iterator[tuple[Rank, str]]:
        yield from super().findings(scenarios, analysis)
        for subject, group in by_subject(analysis).items():
            low, high = sum(each.low for each in group), sum(each.high for each in group)
            if low + high >= ENOUGH and max(low, high) >= MOST * (low + high):
                way = "low" if low > high else "high"
                yield (
                    Rank.CAUSE,
                    f"{TITLE}, {subject}: of {low + high:,} wrong counts {max(low, high):,} are too {way}.",
                )

    def reported(self, before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> list[Reported]:
        """Return the mean partial credit of each scenario before and now, over the trials that both runs measured.

        Nothing if the baseline was saved before baselines kept credits.
        """
        if not any(CREDIT in row.trace for row in before):
            return []
        earlier, now = ({_trial(row): row for row in rows if row.measured} for rows in (before, after))
        was, later = (self.analyse((), [rows[trial] for trial in now if trial in earlier]) for rows in (earlier, now))
        return [
            Reported(
                kind="partial_credit",
                data={"scenario": one.scenario, "mean_credit": [one.mean, other.mean], "trials": one.trials},
                table="Mean partial credit, which has no verdict of its own: strict answers are judged",
                cells={
                    "scenario": one.scenario,
                    "before": f"{one.mean:.2f}",
                    "now": f"{other.mean:.2f}",
                    "trials": f"{one.trials:,}",
                },
            )
            for one, other in zip(was, later, strict=True)
        ]

    def data(self, analysis: Sequence[Credit]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {
            NAME: [
                {
                    **each.subject.fields,
                    "scenario": each.scenario,
                    "trials": each.trials,
                    "mean_credit": each.mean,
                    "too_low": each.low,
                    "too_high": each.high,
                }
                for each in analysis
            ]
        }


def _trial(row: Row) -> tuple[str, int, int]:
    return row.scenario, row.seed, row.trial


def asked(params: Mapping[str, Any]) -> str:
    return f"{params['question']}, {params['notices']} notices"
