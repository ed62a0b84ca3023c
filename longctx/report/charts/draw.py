"""The drawing of charts as SVG by Vega-Lite (vl-convert), without a browser and without the network."""

from __future__ import annotations

import contextlib
import re
import textwrap
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from longctx.views.chart import Chart
from longctx.visible import visible

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
