"""What is measured of line retrieval, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from longctx.families.line_retrieval import charts
from longctx.families.line_retrieval.names import order, order_and_name
from longctx.families.line_retrieval.origins import Origins, origins
from longctx.report.charts.chart import Chart
from longctx.report.table import Table, by_subject, pivot
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary
from longctx.vocabulary import account
from longctx.vocabulary.account import Rank

if TYPE_CHECKING:
    from longctx.results.row import Row


class LineRetrievalAccount(account.Account):
    """analysis: where the wrong answers of each subject come from."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Origins, ...]:
        return tuple(origins(rows))

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Origins]) -> Iterator[Table]:
        """Rate by number of lines (down) and order (across), for each subject."""
        for subject, group in by_subject(scenarios).items():
            cells = [
                (one.params["lines"], order_and_name(one.params.get("block_size")), str(one.rate)) for one in group
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
    """Rates that fall with length: the shortest and the longest file whose intervals do not overlap."""
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
    for one in analysis:
        if one.wrong and one.other_line / one.wrong >= 0.5:
            near = sum(count for distance, count in one.by_place.items() if abs(distance) <= 1)
            yield (
                f"Line retrieval, {one.subject}: {one.other_line:,} of {one.wrong:,} wrong answers are another line's "
                f"value, {near:,} of them of the line next to the target in place."
            )
