"""The analysis of passkey retrieval and its part of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx.families.passkey import charts, tables
from longctx.families.passkey.windows import PasskeySummary, reported, windows_of
from longctx.report.charts.chart import Chart
from longctx.report.table import Table
from longctx.summary.summary import ScenarioSummary
from longctx.vocabulary import account
from longctx.vocabulary.account import Rank, Reported

if TYPE_CHECKING:
    from longctx.results.row import Row
    from longctx.vocabulary.grid import Grid


class PasskeyAccount(account.Account):
    """The account of passkey retrieval. analysis: the effective window of each subject in each window."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[PasskeySummary, ...]:
        return windows_of(scenarios)

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[PasskeySummary]) -> Iterator[Table]:
        return tables.passkey(scenarios, analysis)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[PasskeySummary]) -> Iterator[Chart]:
        return charts.charts(scenarios, analysis)

    def findings(
        self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[PasskeySummary]
    ) -> Iterator[tuple[Rank, str]]:
        yield from _windows(scenarios, analysis)

    def reported(self, before: Sequence[Row], after: Sequence[Row], grids: Sequence[Grid]) -> Sequence[Reported]:
        return list(reported(before, after, grids))

    def data(self, analysis: Sequence[PasskeySummary]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {"passkey": [_entry(summary) for summary in analysis]}


def _entry(summary: PasskeySummary) -> dict[str, Any]:
    return {
        **summary.subject.fields,
        "window": summary.window,
        "k_max": summary.effective.k_max,
        "distance_at_k_max": summary.distance_at_k_max,
        "k_max_lo": summary.interval[0],
        "k_max_hi": summary.interval[1],
        "at_least": summary.effective.at_least,
        "less_than": summary.effective.less_than,
    }


def _windows(scenarios: Sequence[ScenarioSummary], analysis: Sequence[PasskeySummary]) -> Iterator[tuple[Rank, str]]:
    for summary in analysis:
        k_max, (lo, hi) = summary.effective.k_max, summary.interval
        where = f"Passkey, {summary.subject}: in a window of {summary.window:,} tokens"
        if k_max is None:
            yield Rank.LEVEL, f"{where}, the key is not found even at the smallest distance."
        elif k_max == summary.farthest and (low := _lowest(scenarios, summary)) is not None:
            yield (
                Rank.LEVEL,
                f"{where}, k_max is the farthest distance, {k_max:,}, by its 20% rule; the key is found least often at "
                f"{low.params['k']:,} tokens: {low.rate}.",
            )
        elif k_max == summary.farthest:
            yield Rank.HOLDS, f"{where}, the key is found from every distance (k_max {k_max:,})."
        else:
            reach = f"the key is found up to k_max {k_max:,} [{lo:,}, {hi:,}] and not reliably beyond"
            yield Rank.LEVEL, f"{where}, {reach}."


def _lowest(scenarios: Sequence[ScenarioSummary], summary: PasskeySummary) -> ScenarioSummary | None:
    """Return the scenario in which the key is found least often, if it is missed there more than one time in ten."""
    distances = [
        scenario
        for scenario in scenarios
        if scenario.subject == summary.subject and scenario.params.get("window") == summary.window and scenario.rate.n
    ]
    low = min(distances, key=lambda scenario: scenario.rate.rate, default=None)
    return low if low is not None and low.rate.rate < 0.9 else None
