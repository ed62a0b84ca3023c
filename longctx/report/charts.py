"""The charts of a run, each with a table of its numbers.

The colours of the page and its charts in the light and the dark theme: the values of the CSS variables.

Series colours are those of Okabe and Ito, which most colour-blind readers can distinguish, darkened or lightened to a
contrast of 3:1 with the paper; text has 4.5:1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from longctx.report.tables import default_views
from longctx.results.row import grouped, short_names
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


@dataclass(frozen=True, slots=True)
class ForestBand:
    """The change of accuracy in one band of a gate."""

    name: str
    verdict: str
    difference: float
    interval: tuple[float, float]
    """The 95% interval of the difference."""
    n: int


def forest(bands: Sequence[ForestBand], margin: float) -> Chart | None:
    """Return the change of accuracy in each band of a gate, in percentage points; None without any.

    margin: the drop that the gate rules out, a share.
    """
    marks = [
        PlotMark(
            band.name,
            100 * band.difference,
            (100 * band.interval[0], 100 * band.interval[1]),
            series=band.verdict,
            say=f"{band.name}: {points(band.difference)} {between} n={band.n:,}, {band.verdict}",
            text=f"{points(band.difference)} {between}" if band.interval[0] < band.interval[1] else "same answers",
        )
        for band in bands
        for between in [f"[{', '.join(map(points, band.interval))}]"]
    ]
    if not marks:
        return None
    plot = Plot(
        marks=marks,
        kind="rows",
        value="change of accuracy, percentage points",
        ends=None,
        lines=[(0.0, "no change"), (-100 * margin, f"margin {points(-margin)}")],
        legend=None,
        colours={"pass": "var(--good)", "regression": "var(--bad)"}
        | dict.fromkeys(("inconclusive", "invalid"), "var(--ink-soft)"),
    )
    rows = [{"band": str(mark.x), "change": mark.text, "verdict": mark.series} for mark in marks]
    title = "Change of accuracy in each band [95% interval]"
    note = "A band passes if a drop of the margin is ruled out."
    return Chart("bands", "", title, plot, Table.from_rows(title, rows), note)


def points(share: float) -> str:
    """Return a difference of two accuracies in percentage points."""
    return f"{100 * share:+.1f}"


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


LIGHT = {
    "--paper": "#ffffff",
    "--panel": "#f5f6f8",
    "--ink": "#1b1f24",
    "--ink-soft": "#57606a",
    "--rule": "#d8dee4",
    "--shade": "#9aa4b0",
    "--link": "#0550ae",
    "--good": "#1a7f37",
    "--bad": "#b3261e",
    "--mark-needle": "#c7ecd0",
    "--mark-record": "#fdeeb5",
    "--mark-nowhere": "#ffd7d5",
}
DARK = {
    "--paper": "#14171c",
    "--panel": "#1f242b",
    "--ink": "#e8ecf1",
    "--ink-soft": "#a3adb9",
    "--rule": "#39414c",
    "--shade": "#788492",
    "--link": "#7cb8ff",
    "--good": "#57c578",
    "--bad": "#ff8a80",
    "--mark-needle": "#1d4d2b",
    "--mark-record": "#55460f",
    "--mark-nowhere": "#632220",
}
SERIES = {
    "light": ("#0072b2", "#c35100", "#00815a", "#b0568a", "#8a6d00", "#2a86b8", "#6f4bb2", "#555d66"),
    "dark": ("#56b4e9", "#f0864a", "#2bbd8f", "#e08fbd", "#e3c04a", "#8ecbf0", "#b79af0", "#a9b2bd"),
}
HEAT = {"light": ("#f1f5fa", "#5b97cf"), "dark": ("#1f2a38", "#35629a")}
"""The ends of the colour scale, on all of which the ink has a contrast of 4.5:1."""
OUTCOME_COLOURS = {
    "correct": 3,
    "wrong": 2,
    "unparseable": 4,
    "refusal": 5,
    "truncated": 6,
    "infra-error": 8,
    "not-asked": 8,
}
"""The number of the series colour for each outcome."""


def colours(theme: str) -> dict[str, str]:
    """Return all variables of a theme, `light` or `dark`."""
    series = {f"--series-{number}": colour for number, colour in enumerate(SERIES[theme], start=1)}
    return {
        **(LIGHT if theme == "light" else DARK),
        **series,
        **{f"--outcome-{kind}": series[f"--series-{number}"] for kind, number in OUTCOME_COLOURS.items()},
        **{f"--heat-{step}": _between(*HEAT[theme], step / 9) for step in range(10)},
    }


def css() -> str:
    """Return the variables as a style sheet that follows the reader's preference; print is always light."""
    light, dark = (" ".join(f"{name}: {colour};" for name, colour in colours(theme).items()) for theme in SERIES)
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _between(low: str, high: str, share: float) -> str:
    ends = ((int(low[place : place + 2], 16), int(high[place : place + 2], 16)) for place in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in ends)
