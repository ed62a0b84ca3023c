"""Charts drawn as SVG by Vega-Lite (vl-convert), without a browser and without the network."""

from __future__ import annotations

import contextlib
import re
import textwrap
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from longctx.report.charts.chart import Chart
from longctx.visible import visible

FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
"""The first two have the same widths, and the drawer has one of them: labels take the room that was measured."""
HEADING, LINE = 60, 80
"""Characters that stand in the width of a chart, in a heading's letters and in smaller ones."""
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
    "axisQuantitative": {"labelLimit": 0},  # numbers are short, and to measure each is an eighth of the drawing
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
    """Charts as they are drawn, beside what else is done: what draws them is no Python, and needs not wait for it."""
    shown = list(charts)
    with ThreadPoolExecutor(max_workers=1) as drawer:
        yield map(Drawn, shown, drawer.map(draw, shown))


def draw(chart: Chart) -> str:
    """The chart as SVG, its colours still CSS variables.

    What does not show in its texts is made visible: some control characters would end the process that draws.
    """
    import vl_convert

    fit = {"type": "fit-x", "contains": "padding"}
    spec = _seen({**chart.spec, "title": _title(chart.title), "autosize": fit, "config": CONFIG})
    svg: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return svg


def _title(text: str) -> dict[str, Any]:
    """What a chart shows, and below it in smaller letters of whom: as many lines as they take."""
    shows, _, whom = text.partition(": ")
    return {"text": textwrap.wrap(shows, HEADING), "subtitle": textwrap.wrap(whom, LINE)}


def _seen(part: Any) -> Any:
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, dict):
        return {name: _seen(value) for name, value in part.items()}
    return [_seen(value) for value in part] if isinstance(part, list) else part


def standing_alone(svg: str, colours: dict[str, str]) -> str:
    """A drawn chart with real colours on a background of its own, for a file beside the page."""
    filled = re.sub(r"var\((--[\w-]+)\)", lambda match: colours[match[1]], svg)
    return filled.replace("<svg ", f'<svg style="background: {colours["--paper"]}" ', 1)
