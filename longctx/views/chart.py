"""A chart, which is a Vega-Lite specification with a table of its numbers, and the parts that several charts share.

Colours are CSS variables such as var(--series-1), so that a chart in the page follows its light or dark theme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from longctx.views.table import Table

Spec = dict[str, Any]

SERIES = [f"var(--series-{number})" for number in range(1, 9)]
HEAT = [f"var(--heat-{step})" for step in range(10)]
WIDTH, HEIGHT = 560, 260
"""The size of a chart in pixels. The width is half a page, so that its text is not scaled there."""
LETTER = 7
"""The approximate width of a label's character in pixels."""
ACCURACY = "accuracy"
"""The title of an axis of rates that are accuracies."""
SAME = 0.005
"""The difference below which points of two rates hide each other."""
POINT, RING = 60, 150
"""The area of a point, and what each ring around it adds, in square pixels."""
RINGED = "Points of the same accuracy are rings around each other."
UNITLESS = {"labelExpr": "replace(datum.label, '%', '')"}
"""The labels of an axis without the percent sign, which the axis's title has: ten of them are next to each other."""
DASHED, DOTTED = (4, 4), (1, 3)
"""The pixels of a line's dashes and of what is between them."""
LONG = 16
"""The characters of a name beyond which a legend has one column, because a reader's font may be wider."""
SYMBOL = 48
"""The width in pixels of a legend's symbol and of the space between two columns."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a family's own, if a RateView does not suit it.

    Example:
        >>> spec = {
        ...     "data": {"values": [{"keys": 3, "found": 58}]},
        ...     "mark": "bar",
        ...     "encoding": {"x": {"field": "keys"}, "y": {"field": "found", "type": "quantitative"}},
        ... }
        >>> numbers = Table.from_columns("Keys found", {"keys": ["3"], "found": ["58"]})
        >>> chart = Chart("keys-found", "several_keys", "Keys found: my-model", spec, numbers)
    """

    name: str
    """The name of its file."""
    family: str
    """The family in whose section it is shown; empty for all families."""
    title: str
    """What it shows and, after `: `, of which subject."""
    spec: Spec
    """A Vega-Lite view. Colours are CSS variables, such as `var(--series-1)`."""
    table: Table
    """Its numbers, as text."""
    note: str = ""
    """A sentence below it; often empty."""


def note_of(*sentences: str) -> str:
    """Return the note that consists of these sentences, of which some may be empty."""
    return " ".join(filter(None, sentences))


def field(name: str, kind: str, title: str | None = None, **more: Any) -> Spec:
    """Return the encoding of a data field. kind: quantitative, ordinal or nominal."""
    return {"field": name, "type": kind, "title": title, **more}


def rate_axis(name: str, title: str = ACCURACY) -> Spec:
    return field(name, "quantitative", title, scale={"domain": [0, 1]})


def low_to_high(title: str = ACCURACY) -> Spec:
    """Return the encoding of an interval."""
    return {"y": rate_axis("lo", title), "y2": {"field": "hi"}}


def colours(name: str, values: Sequence[str], title: str | None = None) -> Spec:
    """Return an encoding with a colour for each of these series; beyond the palette, colours repeat."""
    palette = [SERIES[number % len(SERIES)] for number in range(len(values))]
    scale = {"domain": list(values), "range": palette}
    return field(name, "nominal", title, scale=scale, sort=None, legend={"columns": legend_columns(values)})


def legend_columns(names: Sequence[str], width: int = WIDTH) -> int:
    """Return how many columns of names fit into a width in pixels."""
    longest = max(map(len, names), default=0)
    return 1 if longest > LONG else width // (longest * LETTER + SYMBOL)


def labelled(labels: Sequence[str]) -> Spec:
    """Return an axis of names, which are rotated if they would overlap."""
    room = WIDTH / max(len(labels), 1)
    turned = max(map(len, labels), default=0) * LETTER > room - LETTER
    return {"labelAngle": -35, "labelAlign": "right"} if turned else {}


def ringed(points: Sequence[dict[str, Any]], x: str) -> tuple[list[dict[str, Any]], str]:
    """Return the points of all series with `ring`, 0 for a full point, and a note if any is a ring.

    Points that would hide each other are rings around the first, so that no rate is moved. x: the field of the
    horizontal position.
    """
    columns: dict[Any, list[dict[str, Any]]] = {}
    for point in points:
        columns.setdefault(point[x], []).append(point)
    marked, note = [], ""
    for column in columns.values():
        for group in _overlapping(sorted(column, key=lambda point: float(point["rate"]))):
            note = RINGED if len(group) > 1 else note
            marked += [{**point, "ring": number} for number, point in enumerate(group)]
    return marked, note


def _overlapping(points: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Group points that would hide each other. points: by rising rate."""
    group: list[dict[str, Any]] = []
    for point in points:
        if group and point["rate"] - group[-1]["rate"] >= SAME:
            yield group
            group = []
        group.append(point)
    if group:
        yield group


def has_order(x: Spec) -> bool:
    """Return whether an axis has numbers or ranges of numbers, rather than names."""
    return x["type"] == "quantitative" or x.get("axis") is UNITLESS


def curves(x: Spec, series: Spec, rings: bool, title: str = ACCURACY) -> list[Spec]:
    """Return layers with a band from lo to hi, a line through the rates, and a described point (`say`) at each.

    A series of a single point has no band; it has a bar. So has each point if x is a name, which has no order that a
    line could follow. The data are points as `ringed` returns them. rings: whether any is a ring; a layer without marks
    would be an image without a description. title: that of the axis of values.
    """
    joined = has_order(x)
    shape = {**series, "scale": {"domain": series["scale"]["domain"]}}
    beside = {} if joined else {"xOffset": {"field": series["field"], "type": "nominal", "sort": None}}
    base = {"x": x, **beside, "color": series}
    described = {**base, "y": rate_axis("rate", title), "shape": shape, "description": {"field": "say"}}
    points = {"joinaggregate": [{"op": "count", "as": "points"}], "groupby": [series["field"]]}
    ring = {
        "transform": [{"filter": "datum.ring > 0"}, {"calculate": f"{POINT} + {RING} * datum.ring", "as": "area"}],
        "mark": {"type": "point", "filled": False, "strokeWidth": 2, "opacity": 1},
        "encoding": {**described, "size": {"field": "area", "type": "quantitative", "scale": None, "legend": None}},
    }
    band: Spec = {"mark": {"type": "area", "opacity": 0.15, "aria": False}, "encoding": {**base, **low_to_high(title)}}
    line: Spec = {"mark": {"type": "line", "aria": False}, "encoding": {**base, "y": rate_axis("rate", title)}}
    return [
        {
            "transform": [points, {"filter": "datum.points == 1"}] if joined else [],
            "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
            "encoding": {**base, **low_to_high(title)},
        },
        *([band, line] if joined else []),
        {
            "transform": [{"filter": "datum.ring == 0"}],
            "mark": {"type": "point", "filled": True, "size": POINT, "opacity": 1},
            "encoding": described,
        },
        *([ring] if rings else []),
    ]


def layered(values: Sequence[dict[str, Any]], layers: list[Spec], height: int = HEIGHT) -> Spec:
    return {"data": {"values": list(values)}, "width": WIDTH, "height": height, "layer": layers}


def intervals(y: Spec, colour: Spec, x: Spec) -> list[Spec]:
    """Return layers with a bar from lo to hi and a described point (`say`) for each row."""
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
    """Return a heatmap: each value's cell has a colour for its `rate`, its `text`, and a description (`say`)."""
    base = {"x": x, "y": y}
    scale = {"type": "quantize", "domain": [0, 1], "range": HEAT}
    named = {"direction": "horizontal", "gradientLength": WIDTH // 2, "format": ".1f"}
    colour = field("rate", "quantitative", "accuracy", scale=scale, legend=named)
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


def at(value: float, channel: str, dash: Sequence[int] = DASHED) -> Spec:
    """Return a line across the chart at a value, by default dashed. channel: x or y."""
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "strokeDash": list(dash), "color": "var(--ink-soft)", "aria": False},
        "encoding": {channel: {"datum": value}},
    }


def dotted(x: Spec, points: Sequence[dict[str, Any]], title: str = ACCURACY) -> Spec:
    """Return a dotted line through the rates of points that are not those of the chart. title: see `curves`."""
    return {
        "data": {"values": list(points)},
        "mark": {"type": "line", "strokeDash": list(DOTTED), "color": "var(--ink-soft)", "aria": False},
        "encoding": {"x": x, "y": rate_axis("rate", title)},
    }
