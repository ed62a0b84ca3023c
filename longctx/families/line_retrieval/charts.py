"""The charts of line retrieval: rate by length and by block size (the source's two figures), and wrong answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from longctx.families.line_retrieval.names import order
from longctx.families.line_retrieval.origins import Origins
from longctx.report.charts.chart import WIDTH, Chart, apart, colours, curves, field, labelled, layered
from longctx.report.table import Table, pivot
from longctx.results.grouping import by_subject
from longctx.summary.summary import ScenarioSummary

ROW = 20
"""The height of a band of distances in pixels: there may be more than twenty bands."""


def charts(scenarios: Sequence[ScenarioSummary], origins: Sequence[Origins]) -> Iterator[Chart]:
    for number, (subject, group) in enumerate(by_subject(scenarios).items(), start=1):
        points = [_point(scenario) for scenario in sorted(group, key=_shape)]
        orders = list(dict.fromkeys(point["order"] for point in points))
        lines = sorted({point["lines"] for point in points})
        by_lines = pivot([(point["lines"], point["order"], point["text"]) for point in points], "lines")
        if len(lines) > 1:
            kind = "log" if lines[-1] >= 10 * lines[0] else "linear"
            scale = {"type": kind, "zero": False, "nice": False, "padding": 16}
            x = field("lines", "quantitative", "number of lines", scale=scale, axis={"values": lines})
            moved, note = apart(points, "lines")
            spec = layered(moved, curves(x, colours("order", orders, "order of lines")))
            name = f"line-retrieval-by-length-{number}"
            yield Chart(name, "line_retrieval", f"By length: {subject}", spec, by_lines, note)
        if len(orders) > 1:
            names = [f"{count:,} lines" for count in lines]
            x = field("order", "ordinal", "order of lines", sort=orders, axis=labelled(orders))
            moved, note = apart(points, "order")
            spec = layered(moved, curves(x, colours("length", names, "length")))
            by_order = by_lines.T.rename_axis("order of lines")
            name = f"line-retrieval-by-order-{number}"
            yield Chart(name, "line_retrieval", f"By order: {subject}", spec, by_order, note)
    for number, answers in enumerate(origins, start=1):
        if answers.other_line:
            yield _origins(answers, number)


def _point(scenario: ScenarioSummary) -> dict[str, Any]:
    lines, how = scenario.params["lines"], order(scenario.params.get("block_size"))
    return {
        "lines": lines,
        "length": f"{lines:,} lines",
        "order": how,
        "rate": scenario.rate.rate,
        "lo": scenario.rate.lo,
        "hi": scenario.rate.hi,
        "text": str(scenario.rate),
        "say": f"{lines:,} lines, {how}: {scenario.rate}",
    }


def _shape(scenario: ScenarioSummary) -> tuple[bool, int, int]:
    """Return a sort key: ordered files first, then shuffled ones, then growing blocks."""
    block_size = scenario.params.get("block_size")
    return block_size is not None, int(block_size or 0), int(scenario.params["lines"] or 0)


def origins_table(origins: Origins) -> Table:
    """Return the numbers of the chart, and the wrong answers that are not in it."""
    names = {"in line number": origins.by_number, "in place": origins.by_place}
    bands = sorted(set(origins.by_number) | set(origins.by_place))
    rows = {_band(band): [str(counts.get(band, 0)) for counts in names.values()] for band in bands}
    rows["the number of a line"] = [str(origins.echoed), ""]
    rows["nowhere in the file"] = [str(origins.nowhere), ""]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(names))
    answers = "1 wrong answer comes" if origins.wrong == 1 else f"{origins.wrong:,} wrong answers come"
    title = f"Where {answers} from: {origins.subject}"
    return Table(title, frame.rename_axis("distance of the returned line"), "line_retrieval")


def _origins(origins: Origins, number: int) -> Chart:
    names = {"in line number": origins.by_number, "in place": origins.by_place}
    values = [
        {"band": _band(distance), "measured": name, "count": count, "say": f"{_band(distance)} {name}: {count:,}"}
        for name, bands in names.items()
        for distance, count in bands.items()
    ]
    bands = [_band(band) for band in sorted(set(origins.by_number) | set(origins.by_place))]
    spec = {
        "data": {"values": values},
        "width": WIDTH,
        "height": {"step": ROW, "for": "position"},
        "mark": {"type": "bar"},
        "encoding": {
            "y": field("band", "ordinal", "lines before (-) or after (+) the target", sort=bands),
            "yOffset": {"field": "measured", "type": "nominal", "sort": None},
            "x": field("count", "quantitative", "wrong answers", axis={"tickMinStep": 1}),
            "color": colours("measured", list(names), "distance"),
            "description": {"field": "say"},
        },
    }
    table = origins_table(origins)
    return Chart(f"line-retrieval-origins-{number}", table.family, table.title, spec, table.frame)


def _band(distance: int) -> str:
    """Return the name of the band that begins at a distance, such as `+4 to +7`."""
    low = abs(distance)
    sign = "+" if distance > 0 else "-"
    return f"{sign}{low}" if low < 4 else f"{sign}{low} to {sign}{2 * low - 1}"
