"""A chart: a Vega-Lite specification and the table of its numbers; and the parts that several charts share.

Colours are CSS variables such as var(--series-1), so that a chart in the page follows its dark and light theme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

Spec = dict[str, Any]

SERIES = [f"var(--series-{number})" for number in range(1, 9)]
HEAT = [f"var(--heat-{step})" for step in range(10)]
WIDTH, HEIGHT = 560, 260
"""Pixels; the width is of the whole chart: as wide as half a page, so that its text keeps its size there."""
LETTER = 7
"""Pixels that a character of a label takes, about."""
APART = 0.02
"""Points that lie closer on an axis from 0 to 1 hide each other: about half of a point."""
SAME = 0.005
"""Rates that differ by less hide each other."""
MOVED = "Points of the same rate are drawn side by side, a hair off their place; the numbers tell their rates."
UNITLESS = {"labelExpr": "replace(datum.label, '%', '')"}
"""An axis whose title says that its numbers are percents: ten of them stand beside one another."""
LONG = 16
"""Characters of a name, beyond which a legend has a line for each: a reader's font may be wider than the drawer's."""


@dataclass(frozen=True, slots=True)
class Chart:
    """name: of its file. family: where the page shows it; empty for all families. title: what it shows, and after `: `
    of whom. spec: a Vega-Lite view. note: a sentence below it, often empty."""

    name: str
    family: str
    title: str
    spec: Spec
    frame: pd.DataFrame
    note: str = ""


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


def labelled(labels: Sequence[str]) -> Spec:
    """An axis of names, which are turned where they would run into one another."""
    room = WIDTH / max(len(labels), 1)
    turned = max(map(len, labels), default=0) * LETTER > room - LETTER
    return {"labelAngle": -35, "labelAlign": "right"} if turned else {}


def apart(points: Sequence[dict[str, Any]], x: str) -> tuple[list[dict[str, Any]], str]:
    """The points of all series with `drawn`, their rates, moved where several would hide each other; and a note that
    says so. The first series lies on top."""
    columns: dict[Any, list[dict[str, Any]]] = {}
    for point in points:
        columns.setdefault(point[x], []).insert(0, point)
    found, note = [], ""
    for column in columns.values():
        for group in _hiding(sorted(column, key=lambda point: float(point["rate"]))):
            note = MOVED if len(group) > 1 else note
            room = APART * (len(group) - 1)
            low = min(max(sum(point["rate"] for point in group) / len(group) - room / 2, 0), 1 - room)
            found += [{**point, "drawn": low + APART * place} for place, point in enumerate(group)]
    return found, note


def _hiding(points: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """points: by rising rates. Those of the same rate together."""
    group: list[dict[str, Any]] = []
    for point in points:
        if group and point["rate"] - group[-1]["rate"] >= SAME:
            yield group
            group = []
        group.append(point)
    if group:
        yield group


def curves(x: Spec, series: Spec) -> list[Spec]:
    """Layers: a band from lo to hi, a line through the rates, a point with its description (`say`) at each.

    The points are as `apart` makes them.
    """
    shape = {**series, "scale": {"domain": series["scale"]["domain"]}}
    base = {"x": x, "color": series}
    return [
        {
            "mark": {"type": "area", "opacity": 0.15, "aria": False},
            "encoding": {**base, "y": rate_axis("lo"), "y2": {"field": "hi"}},
        },
        {"mark": {"type": "line", "aria": False}, "encoding": {**base, "y": rate_axis("drawn")}},
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {**base, "y": rate_axis("drawn"), "shape": shape, "description": {"field": "say"}},
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


def heat(values: Sequence[dict[str, Any]], x: Spec, y: Spec) -> Spec:
    """A cell for each value, coloured by its `rate` from 0 to 1, with its `text` in it and its description (`say`)."""
    base = {"x": x, "y": y}
    scale = {"type": "quantize", "domain": [0, 1], "range": HEAT}
    colour = field("rate", "quantitative", "rate", scale=scale, legend=None)
    contrast = {
        "condition": {"test": "datum.rate >= 0.5", "value": "var(--heat-ink-high)"},
        "value": "var(--heat-ink-low)",
    }
    return {
        "data": {"values": list(values)},
        "width": WIDTH,
        "height": {"step": 32},
        "layer": [
            {"mark": "rect", "encoding": {**base, "color": colour, "description": {"field": "say"}}},
            {
                "mark": {"type": "text", "aria": False},
                "encoding": {**base, "text": {"field": "text"}, "color": contrast},
            },
        ],
    }


def at(value: float, channel: str) -> Spec:
    """A dashed line across the chart at a value of x or y."""
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "strokeDash": [4, 4], "color": "var(--ink-soft)", "aria": False},
        "encoding": {channel: {"datum": value}},
    }
