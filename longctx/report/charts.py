"""The charts of a run, each with a table of its numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from longctx.report.default_views import default_views
from longctx.results.grouping import grouped
from longctx.results.row import short_names
from longctx.stats.rates import Rate, pooled
from longctx.summary.summary import BANDS, Summary, tenth_name
from longctx.views.chart import Chart, Plot, PlotMark, Table
from longctx.vocabulary.point import is_check


def charts(summary: Summary) -> Iterator[Chart]:
    """Yield the charts in the order of the page; none for what a run did not measure."""
    by_place = list(heatmaps(summary))
    for name, test in summary.tests.items():
        cells = [cell for cell in summary.of(name) if cell.rate.n]
        own = test.reporting.charts(cells, test.analysis)
        if own is None:
            own = (chart for view in default_views(name, test, cells) for chart in view.charts())
        yield from (replace(chart, test=name) for chart in own)
        yield from (chart for chart in by_place if chart.test == name)
    yield from outcomes(summary)


def accuracies(summary: Summary) -> Chart | None:
    """Return the accuracy of each test, as its table counts it; None of a single test."""
    tests, marks = set(), []
    for (test, subject), cells in grouped(
        (cell for cell in summary.cells if cell.rate.n and not is_check(cell.test)),
        lambda cell: (cell.test, cell.subject),
    ).items():
        rate, title = pooled(cell.rate for cell in cells), summary.title(test)
        tests.add(test)
        others = {each.subject for each in summary.of(test) if each.rate.n}
        alike = [each for each in others if each.model == subject.model]
        named = short_names(alike)[subject].removeprefix(subject.model)
        marks.append(
            PlotMark(
                f"{title}{named}",
                rate.rate,
                (rate.lo, rate.hi),
                series=subject.model,
                say=f"{title}, {subject}: {rate}",
                text=f"{rate.rate:.2f} n={rate.n:,}",
            )
        )
    title = "Accuracy of each test, over all its trials [95% interval]"
    return Chart("tests", "", title, Plot(marks=marks, kind="rows"), Table(title, (), ())) if len(tests) > 1 else None


COMMON = "Only variants asked at every length are included, so lengths are comparable."
NOT_COMMON = "No variant was asked at every length: each cell counts those that were asked at its length."
FEW = 10
"""If a cell has fewer trials, all cells of its heatmap show numbers of trials, such as 1/2, instead of accuracies."""
OUTCOMES = ("correct", "wrong", "unparseable", "refusal", "truncated", "infra_error", "not_asked")


def heatmaps(summary: Summary) -> Iterator[Chart]:
    """Yield a heatmap for each test and subject whose needles have a depth."""
    groups = grouped(summary.heatmap_cells, lambda cell: (cell.test, cell.subject))
    for number, ((test, subject), group) in enumerate(groups.items(), start=1):
        text = _counted if any(cell.rate.n < FEW for cell in group) else _rate
        unit = summary.tests[test].unit
        by_depth = sorted(group, key=lambda cell: (-cell.size, cell.depth))
        rows = {cell.size: f"{cell.size:,} {cell.unit or unit}" for cell in by_depth}
        rows |= {cell.size: f"{rows[cell.size]} ({cell.sent:,} tokens sent)" for cell in by_depth if cell.sent}
        cells = {(cell.size, cell.place): cell.rate for cell in by_depth}
        positions = group[0].is_position
        places = list(map(tenth_name, range(BANDS)))
        if positions:
            places = list(dict.fromkeys(cell.place for cell in sorted(group, key=lambda cell: cell.depth)))
        marks = [
            PlotMark(
                place.removesuffix("%"),
                rate.rate if rate else math.nan,
                series=row,
                say=f"{row}, needle at {place}: {rate or 'not measured'}",
                text=text(rate) if rate else "",
            )
            for size, row in rows.items()
            for place in places
            for rate in (cells.get((size, place)),)
        ]
        rates = [
            (rows[cell.size], cell.place, str(cell.rate))
            for cell in sorted(group, key=lambda cell: (cell.size, cell.depth))
        ]
        title = f"{summary.title(test)} by {'position' if positions else 'depth'} and length: {subject}"
        several = summary.tests[test].variant and len({cell.size for cell in group}) > 1
        note = "" if not several else COMMON if group[0].common else NOT_COMMON
        plot = Plot(
            marks=marks,
            kind="heat",
            x="position of the needle" if positions else "depth of the needle, % (0 = start)",
        )
        yield Chart(f"heatmap-{number}", test, title, plot, Table.pivot(title, rates, "length"), note)


def outcomes(summary: Summary) -> Iterator[Chart]:
    """Yield a chart with the shares of outcomes in each test; none without cells."""
    groups: dict[str, Counter[str]] = {}
    several = len({cell.subject for cell in summary.cells}) > 1
    for cell in summary.cells:
        subject = f": {cell.subject}" if several else ""
        groups.setdefault(f"{summary.title(cell.test)}{subject}", Counter()).update(cell.outcomes)
    if not groups:
        return
    kinds = [kind for kind in OUTCOMES if any(counts[kind] for counts in groups.values())]
    marks = [
        PlotMark(row, counts[kind], series=kind, say=f"{row}: {counts[kind]:,} of {counts.total():,} {kind}")
        for row, counts in groups.items()
        for kind in kinds
        if counts[kind]
    ]
    palette = {kind: f"var(--outcome-{kind.replace('_', '-')})" for kind in kinds}
    plot = Plot(marks=marks, kind="shares", value="share of trials", colours=palette)
    columns = {kind: [f"{counts[kind]:,}" for counts in groups.values()] for kind in kinds}
    table = Table.from_columns("Outcomes by kind", {"test": list(groups), **columns})
    yield Chart("outcomes", "", table.title, plot, table)


def _counted(rate: Rate) -> str:
    return f"{rate.correct:g}/{rate.n}"


def _rate(rate: Rate) -> str:
    return f"{rate.rate:.2f}"
