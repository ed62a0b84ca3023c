"""The analysis of line retrieval and its part of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from longctx.families.line_retrieval import charts
from longctx.families.line_retrieval.names import order
from longctx.families.line_retrieval.origins import Origins, origins
from longctx.report.charts.chart import Chart
from longctx.report.table import Table, pivot
from longctx.results.grouping import by_subject
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary
from longctx.vocabulary import account
from longctx.vocabulary.account import Rank

if TYPE_CHECKING:
    from longctx.results.row import Row


class LineRetrievalAccount(account.Account):
    """The account of line retrieval. analysis: where the wrong answers of each subject come from."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Origins, ...]:
        return tuple(origins(rows))

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Origins]) -> Iterator[Table]:
        """Yield, for each subject, rates by number of lines (down) and order (across)."""
        for subject, group in by_subject(scenarios).items():
            cells = [
                (scenario.params["lines"], order(scenario.params.get("block_size")), str(scenario.rate))
                for scenario in group
            ]
            yield Table(f"Line retrieval, {subject}: rate [95% interval] by number of lines", pivot(cells, "lines"))

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Origins]) -> Iterator[Chart]:
        return charts.charts(scenarios, analysis)

    def further_tables(self, analysis: Sequence[Origins]) -> Iterator[Table]:
        return map(charts.origins_table, analysis)

    def findings(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Origins]) -> Iterator[tuple[Rank, str]]:
        yield from ((Rank.LEVEL, length) for length in _lengths(scenarios))
        yield from ((Rank.CAUSE, origin) for origin in _origins(analysis))


def _lengths(scenarios: Sequence[ScenarioSummary]) -> Iterator[str]:
    """Yield rates that fall with length: the intervals of the shortest and the longest file do not overlap."""
    series: dict[tuple[str, str], list[tuple[int, Rate]]] = {}
    for scenario in scenarios:
        if scenario.rate.n:
            key = str(scenario.subject), order(scenario.params.get("block_size"))
            series.setdefault(key, []).append((int(scenario.params["lines"] or 0), scenario.rate))
    for (subject, how), points in series.items():
        short, first = min(points, key=lambda pair: pair[0])
        long, last = max(points, key=lambda pair: pair[0])
        if first.lo > last.hi:
            fall = f"{first.rate:.2f} at {short:,} lines falls to {last.rate:.2f} at {long:,}"
            yield f"Line retrieval, {subject}, {how}: {fall}."


def _origins(analysis: Sequence[Origins]) -> Iterator[str]:
    for answers in analysis:
        if answers.wrong and answers.other_line / answers.wrong >= 0.5:
            near = sum(count for distance, count in answers.by_place.items() if abs(distance) <= 1)
            yield (
                f"Line retrieval, {answers.subject}: {answers.other_line:,} of {answers.wrong:,} wrong answers are "
                f"another line's value, {near:,} of them of the line next to the target in place."
            )
