"""The analysis of graph walks and its part of the report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from longctx.families.graph_walks import shown
from longctx.families.graph_walks.analysis import WalkAnswers, analyse, walk_of
from longctx.families.graph_walks.answers import ORIGINS, THIRDS
from longctx.report.charts.chart import Chart
from longctx.report.table import Table
from longctx.results.grouping import by_subject
from longctx.summary.summary import ScenarioSummary
from longctx.vocabulary import account
from longctx.vocabulary.account import Rank

if TYPE_CHECKING:
    from longctx.results.row import Row

ENOUGH = 20
"""The answers needed in each third of the list before a finding says where they are missed."""
APART = 0.15
"""The least difference between the shares found in two thirds that is reported."""


class GraphWalksAccount(account.Account):
    """The account of graph walks. analysis: the answers to each scenario."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[WalkAnswers, ...]:
        return tuple(analyse(rows))

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]) -> Iterator[Table]:
        yield shown.scores(scenarios, analysis)
        if any(answers.listed for answers in analysis):
            yield shown.thirds(analysis)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]) -> Iterator[Chart]:
        return shown.charts(scenarios, analysis)

    def further_tables(self, analysis: Sequence[WalkAnswers]) -> Iterator[Table]:
        if any(sum(answers.invented.values()) for answers in analysis):
            yield shown.invented(analysis)

    def findings(
        self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]
    ) -> Iterator[tuple[Rank, str]]:
        yield from ((Rank.LEVEL, sentence) for sentence in _lengths(scenarios))
        yield from ((Rank.CAUSE, sentence) for sentence in (*_missed(analysis), *_invented(analysis)))

    def data(self, analysis: Sequence[WalkAnswers]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {"graph_walks": [_entry(answers) for answers in analysis]}


def _entry(answers: WalkAnswers) -> dict[str, Any]:
    numbers = asdict(answers)
    del numbers["subject"], numbers["walk"], numbers["context"]  # the subject's fields and the scenario tell them
    return {**answers.subject.fields, **numbers, "f1": round(answers.f1, 6)}


def _lengths(scenarios: Sequence[ScenarioSummary]) -> Iterator[str]:
    """Yield rates that fall with length: the intervals of the smallest and the largest context do not overlap."""
    series: dict[tuple[str, str], list[ScenarioSummary]] = defaultdict(list)
    for scenario in scenarios:
        if scenario.rate.n:
            series[str(scenario.subject), walk_of(scenario.params)].append(scenario)
    for (subject, walk), points in series.items():
        points.sort(key=lambda scenario: int(scenario.params["context"] or 0))
        short, long = points[0], points[-1]
        if short.rate.lo > long.rate.hi:
            falls = f"{short.rate.rate:.2f} in {short.params['context']:,} tokens falls to {long.rate.rate:.2f}"
            yield f"Graph walks, {subject}, {walk}: {falls} in {long.params['context']:,}."


def _missed(analysis: Sequence[WalkAnswers]) -> Iterator[str]:
    """Yield where in the list most edges were missed."""
    for subject, group in by_subject(analysis).items():
        asked = {third: sum(answers.asked_in[third] for answers in group) for third in THIRDS}
        if min(asked.values()) < ENOUGH:
            continue
        right = {third: sum(answers.right_in[third] for answers in group) for third in THIRDS}
        shares = {third: right[third] / asked[third] for third in THIRDS}
        worst, best = min(THIRDS, key=shares.__getitem__), max(THIRDS, key=shares.__getitem__)
        if shares[best] - shares[worst] >= APART:
            yield (
                f"Graph walks, {subject}: edges are found most often at the {best} of their list, "
                f"{right[best]:,} of {asked[best]:,}, and least often at its {worst}, {right[worst]:,} of "
                f"{asked[worst]:,}."
            )


def _invented(analysis: Sequence[WalkAnswers]) -> Iterator[str]:
    """Yield what most of the invented nodes are."""
    for subject, group in by_subject(analysis).items():
        counts = {origin: sum(answers.invented[origin] for answers in group) for origin in ORIGINS}
        most, total = max(ORIGINS, key=counts.__getitem__), sum(counts.values())
        if total and counts[most] / total >= 0.5:
            yield f"Graph walks, {subject}: of {total:,} invented nodes {counts[most]:,} are {ORIGINS[most]}."
