"""The charts of named sets: rates by window, and the items named by their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from longctx.families.tracing_and_counting.analysis import TENTHS, Naming, pooled
from longctx.report.charts.chart import UNITLESS, Chart, Spec, apart, colours, curves, field, labelled, layered
from longctx.report.table import pivot
from longctx.results.grouping import by_subject
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary

Shape = Callable[[Mapping[str, Any]], str]


def by_window(family: str, scenarios: Sequence[ScenarioSummary], shape: Shape) -> Iterator[Chart]:
    """Yield a chart for each subject that was asked in several windows, with a curve for each shape."""
    for number, (subject, group) in enumerate(by_subject(scenarios).items(), start=1):
        windows = sorted({window_of(scenario.params) for scenario in group})
        if len(windows) > 1:
            points = [
                _point("window", window_of(scenario.params), shape(scenario.params), scenario.rate, "tokens")
                for scenario in group
            ]
            kind = "log" if windows[-1] >= 10 * windows[0] else "linear"
            scale = {"type": kind, "zero": False, "nice": False, "padding": 16}
            axis = {"values": windows, "format": ",d"}
            x = field("window", "quantitative", "window, tokens", scale=scale, axis=axis)
            yield _chart(f"{_name(family)}-by-window-{number}", family, f"By window: {subject}", "window", points, x)


def by_depth(family: str, namings: Sequence[Naming], shape: Shape) -> Iterator[Chart]:
    """Yield a chart for each subject, with a curve for each shape, over all windows."""
    labels = {tenth: f"{tenth * TENTHS}-{(tenth + 1) * TENTHS}%" for tenth in range(TENTHS)}
    yield from _by_place(
        family, "depth", namings, shape, lambda naming: naming.by_depth, labels, "place in the text", in_percent=True
    )


def by_number(
    family: str, namings: Sequence[Naming], shape: Shape, labels: Mapping[int, str], x: str
) -> Iterator[Chart]:
    """Yield the same by the number of the item. labels: names of the numbers. x: the title of the axis."""
    yield from _by_place(family, "number", namings, shape, lambda naming: naming.by_number, labels, x)


def _by_place(
    family: str,
    what: str,
    namings: Sequence[Naming],
    shape: Shape,
    rates: Callable[[Naming], Mapping[int, Rate]],
    labels: Mapping[int, str],
    title: str,
    in_percent: bool = False,
) -> Iterator[Chart]:
    for number, subject in enumerate(dict.fromkeys(naming.subject for naming in namings), start=1):
        shapes: dict[str, list[Mapping[int, Rate]]] = {}
        for naming in namings:
            if naming.subject == subject:
                shapes.setdefault(shape(naming.params), []).append(rates(naming))
        points = [
            _point(what, labels.get(place, str(place)), name, rate)
            for name, group in shapes.items()
            for place, rate in pooled(group).items()
        ]
        if points:
            names = [label for label in labels.values() if any(point[what] == label for point in points)]
            axis = UNITLESS if in_percent else labelled(names)
            x = field(what, "ordinal", title + ", %" * in_percent, sort=names, axis=axis)
            heading = f"Named of what was asked for, by {title}: {subject}"
            yield _chart(f"{_name(family)}-by-{what}-{number}", family, heading, what, points, x)


def window_of(params: Mapping[str, Any]) -> int:
    """Return the window in tokens."""
    return int(params["window"])


def _chart(name: str, family: str, title: str, what: str, points: Sequence[dict[str, Any]], x: Spec) -> Chart:
    moved, note = apart(points, what)
    series = list(dict.fromkeys(str(point["shape"]) for point in points))
    frame = pivot([(point[what], point["shape"], point["text"]) for point in points], what)
    return Chart(name, family, title, layered(moved, curves(x, colours("shape", series))), frame, note)


def _point(what: str, place: int | str, shape: str, rate: Rate, unit: str = "") -> dict[str, Any]:
    where = f"{place:,} {unit}" if isinstance(place, int) else place
    say = f"{where}, {shape}: {rate}"
    return {
        what: place,
        "shape": shape,
        "rate": rate.rate,
        "lo": rate.lo,
        "hi": rate.hi,
        "text": str(rate),
        "say": say,
    }


def _name(family: str) -> str:
    return family.replace("_", "-")
