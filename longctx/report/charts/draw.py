"""Charts drawn as SVG by Vega-Lite (vl-convert), without a browser and without the network."""

from __future__ import annotations

import re
from typing import Any

from longctx.report.charts.chart import Chart

FONT = "system-ui, sans-serif"
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "title": {"color": "var(--ink)", "anchor": "start", "fontSize": 14, "fontWeight": 600, "offset": 12},
    "axis": {
        "labelColor": "var(--ink-soft)",
        "titleColor": "var(--ink-soft)",
        "domainColor": "var(--rule)",
        "tickColor": "var(--rule)",
        "gridColor": "var(--rule)",
        "titleFontWeight": 400,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "labelAngle": 0,
    },
    "legend": {
        "labelColor": "var(--ink-soft)",
        "titleColor": "var(--ink-soft)",
        "titleFontWeight": 400,
        "orient": "bottom",
        "labelLimit": 320,
        "symbolOpacity": 1,
    },
    "view": {"stroke": None},
}


def draw(chart: Chart) -> str:
    """The chart as SVG, its colours still CSS variables."""
    import vl_convert

    spec = {**chart.spec, "title": chart.title, "config": CONFIG}
    svg: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return svg


def standing_alone(svg: str, colours: dict[str, str]) -> str:
    """A drawn chart with real colours on a background of its own, for a file beside the page."""
    filled = re.sub(r"var\((--[\w-]+)\)", lambda match: colours[match[1]], svg)
    return filled.replace("<svg ", f'<svg style="background: {colours["--paper"]}" ', 1)
