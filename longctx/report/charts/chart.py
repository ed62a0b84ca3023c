"""A chart: a Vega-Lite specification and the table of its numbers; and the parts that several charts share.

Colours are CSS variables such as var(--series-1), so that a chart in the page follows its dark and light theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

Spec = dict[str, Any]

SERIES = [f"var(--series-{number})" for number in range(1, 9)]
WIDTH, HEIGHT = 560, 260
LONG = 16
"""Characters of a name, beyond which a legend has a line for each: a reader's font may be wider than the drawer's."""


@dataclass(frozen=True, slots=True)
class Chart:
    """name: of its file. family: where the page shows it; empty for all families. spec: a Vega-Lite view."""

    name: str
    family: str
    title: str
    spec: Spec
    frame: pd.DataFrame


def field(name: str, kind: str, title: str | None = None, **more: Any) -> Spec:
    """An encoding of a data field. kind: quantitative, ordinal or nominal."""
    return {"field": name, "type": kind, "title": title, **more}


def rate_axis(name: str, title: str = "rate") -> Spec:
    return field(name, "quantitative", title, scale={"domain": [0, 1]})


def colours(name: str, values: Sequence[str], title: str | None = None) -> Spec:
    """A colour for each of the named series, in their order; beyond the palette they repeat."""
    palette = [SERIES[place % len(SERIES)] for place in range(len(values))]
    columns = 1 if max(map(len, values), default=0) > LONG else 0
    scale = {"domain": list(values), "range": palette}
    return field(name, "nominal", title, scale=scale, sort=None, legend={"columns": columns})


def curves(x: Spec, series: Spec) -> list[Spec]:
    """Layers: a band from lo to hi, a line through the rates, a point with its description (`say`) at each."""
    shape = {**series, "scale": {"domain": series["scale"]["domain"]}}
    base = {"x": x, "color": series}
    return [
        {
            "mark": {"type": "area", "opacity": 0.15, "aria": False},
            "encoding": {**base, "y": rate_axis("lo"), "y2": {"field": "hi"}},
        },
        {"mark": {"type": "line", "aria": False}, "encoding": {**base, "y": rate_axis("rate")}},
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {**base, "y": rate_axis("rate"), "shape": shape, "description": {"field": "say"}},
        },
    ]


def layered(values: Sequence[dict[str, Any]], layers: list[Spec], height: int = HEIGHT) -> Spec:
    return {"data": {"values": list(values)}, "width": WIDTH, "height": height, "layer": layers}


def intervals(y: Spec, colour: Spec, x: Spec) -> list[Spec]:
    """Layers: for each row a bar from lo to hi and a point with its description (`say`)."""
    offset = {"field": colour["field"], "type": "nominal", "sort": None}
    base = {"y": y, "yOffset": offset, "color": colour}
    low = {**x, "field": "lo"}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
            "encoding": {**base, "x": low, "x2": {"field": "hi"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {**base, "x": x, "description": {"field": "say"}},
        },
    ]


def at(value: float, channel: str) -> Spec:
    """A dashed line across the chart at a value of x or y."""
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "strokeDash": [4, 4], "color": "var(--ink-soft)", "aria": False},
        "encoding": {channel: {"datum": value}},
    }
