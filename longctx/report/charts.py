"""The charts of a run, each with a table of its numbers.

The colours of the page and its charts in the light and the dark theme: the values of the CSS variables.

Series colours are those of Okabe and Ito, which most colour-blind readers can distinguish, darkened or lightened to a
contrast of 3:1 with the paper; text has 4.5:1.
"""

from __future__ import annotations

import contextlib
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

from longctx.report.tables import default_views
from longctx.results.row import grouped
from longctx.stats.rates import Rate
from longctx.summary.summary import Summary
from longctx.text import visible
from longctx.views.chart import UNITLESS, WIDTH, Chart, Table, field, heat, legend_columns


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


FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
"""The first two have the same metrics and vl-convert has one of them, so that labels take the space it measured."""
HEADING, LINE = 60, 80
"""The characters that fit into the width of a chart in a title, and in a subtitle."""
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "title": {
        "color": "var(--ink)",
        "anchor": "start",
        "frame": "bounds",
        "fontSize": 15,
        "fontWeight": 600,
        "subtitleColor": "var(--ink-soft)",
        "subtitleFontSize": 12,
        "offset": 12,
    },
    "axis": {
        "labelColor": "var(--ink-soft)",
        "titleColor": "var(--ink-soft)",
        "domainColor": "var(--rule)",
        "tickColor": "var(--rule)",
        "gridColor": "var(--rule)",
        "titleFontWeight": 400,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelAngle": 0,
        "labelSeparation": 8,
        "labelLimit": 320,
    },
    "axisQuantitative": {"labelLimit": 0},  # measuring each number takes an eighth of the drawing time
    "legend": {
        "labelColor": "var(--ink-soft)",
        "titleColor": "var(--ink-soft)",
        "titleFontWeight": 400,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "orient": "bottom",
        "labelLimit": 320,
        "symbolOpacity": 1,
        "columnPadding": 28,
    },
    "view": {"stroke": None},
}


class Drawn(NamedTuple):
    """A chart and its SVG."""

    chart: Chart
    svg: str


@contextlib.contextmanager
def drawing(charts: Iterable[Chart]) -> Iterator[Iterator[Drawn]]:
    """Draw charts in a thread while other work is done: vl-convert runs outside Python's lock."""
    shown = list(charts)
    with ThreadPoolExecutor(max_workers=1) as drawer:
        yield map(Drawn, shown, drawer.map(draw, shown))


def draw(chart: Chart) -> str:
    """Return the chart as SVG with CSS variables for colours.

    Invisible characters in its texts are escaped: some control characters would abort vl-convert.
    """
    import vl_convert

    fit = {"type": "fit-x", "contains": "padding"}
    spec = _visible({**chart.spec, "title": _title(chart.title), "autosize": fit, "config": CONFIG})
    return _compact(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))


USUAL = (
    f' font-family="{FONT}"', ' font-size="12px"', ' opacity="1"', ' pointer-events="none"', ' stroke-width="1"',
    ' transform="translate(0,0)"', ' x2="0"', ' y2="0"', ' text-anchor="start"', ' font-weight="400"',
)  # fmt: skip
"""Attributes of nearly every mark, which are those of the whole chart or SVG's defaults."""
PLACED = re.compile(r' (?:d|transform|x|y|x2|y2|width|height)="[^"]*"')
EMPTY = re.compile(
    r'<path class="(?:background|foreground)"[^>]*/>|<g[^>]*></g>|<text[^>]* opacity="0"[^>]*>[^<]*</text>'
)


def _compact(svg: str) -> str:
    """Return the chart in two thirds of its size: without what draws nothing, and with one decimal for places."""
    for attribute in USUAL:
        svg = svg.replace(attribute, "")
    svg = EMPTY.sub("", re.sub(r' (?:class|xmlns:xlink|version)="[^"]*"', "", EMPTY.sub("", svg)))
    svg = PLACED.sub(lambda placed: re.sub(r"(\d\.\d)\d+", r"\1", placed[0]), svg)
    return svg.replace("<svg ", f'<svg font-family="{FONT}" font-size="12" ', 1)


def _title(text: str) -> dict[str, Any]:
    """Return the title and the subtitle of a chart in lines: what it shows, and of which subject."""
    title, _, subject = text.partition(": ")
    return {"text": textwrap.wrap(title, HEADING), "subtitle": textwrap.wrap(subject, LINE)}


def _visible(part: Any) -> Any:
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, dict):
        return {name: _visible(value) for name, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list) else part


def standing_alone(svg: str, colours: dict[str, str]) -> str:
    """Return a drawn chart with colours in place of the variables, and a background, for a file of its own."""
    filled = re.sub(r"var\((--[\w-]+)\)", lambda match: colours[match[1]], svg)
    return filled.replace("<svg ", f'<svg style="background: {colours["--paper"]}" ', 1)


SPLIT = ": "
"""The separator after which the name of a row continues in a second line."""
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
        values = [
            {
                "depth": _tenth(cell.depth),
                "size": cell.size,
                "rate": cell.rate.rate,
                "text": text(cell.rate),
                "say": f"{cell.size:,} {unit}, needle at {_tenth(cell.depth)}: {cell.rate}",
            }
            for cell in group
        ]
        base = {
            "x": field(
                "depth",
                "ordinal",
                "depth of the needle, % (0 = start)",
                scale={"domain": [_tenth(tenth) for tenth in range(10)]},
                axis=UNITLESS,
            ),
            "y": field(
                "size", "ordinal", None, sort="descending", axis={"labelExpr": f"format(datum.value, ',d') + ' {unit}'"}
            ),
        }
        spec = heat(values, **base)
        by_depth = sorted(group, key=lambda cell: cell.depth)
        rates = [(cell.size, _tenth(cell.depth), str(cell.rate)) for cell in by_depth]
        title = f"{summary.title(test)} by depth and length: {subject}"
        several = summary.tests[test].variant and len({cell.size for cell in group}) > 1
        note = "" if not several else COMMON if group[0].common else NOT_COMMON
        yield Chart(f"heatmap-{number}", test, title, spec, Table.pivot(title, rates, f"length, {unit}"), note)


def outcomes(summary: Summary) -> Iterator[Chart]:
    """Yield a chart with the shares of outcomes in each test; none without cells."""
    groups: dict[str, Counter[str]] = {}
    several = len({cell.subject for cell in summary.cells}) > 1
    for cell in summary.cells:
        subject = f"{SPLIT}{cell.subject}" if several else ""
        groups.setdefault(f"{summary.title(cell.test)}{subject}", Counter()).update(cell.outcomes)
    if not groups:
        return
    kinds = [kind for kind in OUTCOMES if any(counts[kind] for counts in groups.values())]
    values = [
        {
            "row": row,
            "kind": kind,
            "count": counts[kind],
            "say": f"{row}: {counts[kind]:,} of {counts.total():,} {kind}",
        }
        for row, counts in groups.items()
        for kind in kinds
        if counts[kind]
    ]
    palette = [f"var(--outcome-{kind.replace('_', '-')})" for kind in kinds]
    spec = {
        "data": {"values": values},
        "width": WIDTH,
        "height": {"step": 36},
        "mark": "bar",
        "encoding": {
            "y": field("row", "ordinal", None, sort=list(groups), axis={"labelExpr": f"split(datum.value, '{SPLIT}')"}),
            "x": field("count", "quantitative", "share of trials", stack="normalize", axis={"format": "%"}),
            "color": field(
                "kind",
                "nominal",
                "outcome",
                scale={"domain": kinds, "range": palette},
                legend={"columns": legend_columns(kinds, WIDTH // 2)},  # the tests' names take the other half
            ),
            "order": {"field": "place", "type": "quantitative"},
            "description": {"field": "say"},
        },
    }
    for value in values:
        value["place"] = kinds.index(str(value["kind"]))
    columns = {kind: [f"{counts[kind]:,}" for counts in groups.values()] for kind in kinds}
    table = Table.from_columns("Outcomes by kind", {"test": list(groups), **columns})
    yield Chart("outcomes", "", table.title, spec, table)


def _counted(rate: Rate) -> str:
    return f"{rate.correct:g}/{rate.n}"


def _rate(rate: Rate) -> str:
    return f"{rate.rate:.2f}"


def _tenth(depth: int) -> str:
    return f"{depth * 10}-{depth * 10 + 10}%"


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
    "--heat-ink-low": "#1b1f24",
    "--heat-ink-high": "#ffffff",
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
    "--heat-ink-low": "#e8ecf1",
    "--heat-ink-high": "#10141a",
}
SERIES = {
    "light": ("#0072b2", "#c35100", "#00815a", "#b0568a", "#8a6d00", "#2a86b8", "#6f4bb2", "#555d66"),
    "dark": ("#56b4e9", "#f0864a", "#2bbd8f", "#e08fbd", "#e3c04a", "#8ecbf0", "#b79af0", "#a9b2bd"),
}
HEAT = {
    "light": (("#eef4fa", "#9cc3e6"), ("#2f6ca8", "#063a68")),
    "dark": (("#1f2a38", "#3a5878"), ("#6fa8e0", "#b0dbff")),
}
"""The ends of the colour scale below a rate of 0.5, and of the scale above it, where the numbers have another ink."""
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
        **{f"--heat-{step}": _between(*HEAT[theme][step // 5], step % 5 / 4) for step in range(10)},
    }


def css() -> str:
    """Return the variables as a style sheet that follows the reader's preference; print is always light."""
    light, dark = (" ".join(f"{name}: {colour};" for name, colour in colours(theme).items()) for theme in SERIES)
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _between(low: str, high: str, share: float) -> str:
    ends = ((int(low[place : place + 2], 16), int(high[place : place + 2], 16)) for place in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in ends)
