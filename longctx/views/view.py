"""A view: rates by what varies, declared once, from which come charts, tables, findings and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longctx.results.row import grouped
from longctx.stats.averaged import Averaged
from longctx.stats.paired import Paired
from longctx.stats.rates import NO_RATE, Rate, pooled
from longctx.views.chart import (
    ACCURACY,
    DOTTED,
    SERIES,
    UNITLESS,
    Chart,
    Spec,
    Table,
    at,
    colours,
    curves,
    dotted,
    field,
    has_order,
    intervals,
    labelled,
    layered,
    note_of,
    ringed,
)

ROW = 48
"""The height of a row of intervals in pixels."""
OF_SERIES = 12
"""The least height in it of one interval."""
WIDE = 10
"""The ratio of the largest to the smallest number from which an axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class RatePoint:
    """An accuracy, or a difference between two rates, and its place in a view."""

    x: int | float | str
    """The place on the axis: a number, or a name."""
    series: str
    """The curve or the colour that it belongs to."""
    value: Rate | Paired | Averaged
    facet: str = ""
    """The chart and the table that it belongs to, such as those of a subject; empty if a view has only one."""
    lexical: Rate = NO_RATE
    """What the lexical baseline answers of the same trials: a dotted line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateView:
    """Rates with intervals: x on the horizontal axis, a curve for each series, a chart and a table for each facet.

    Points stay in their order; numbers on the axis are sorted. Points without trials are in tables only.
    """

    points: Sequence[RatePoint]
    name: str
    """The name of the chart's file; of several charts, each has its number after it."""
    heading: str
    """The title of the test, which begins the titles of tables, and the findings."""
    title: str
    """The title of the charts, such as `By length`."""
    x: str
    """What is on the axis, which is also the first column of tables."""
    axis: str | None = None
    """The title of the axis, if it is not `x`."""
    unit: str = ""
    """What the numbers on the axis count, such as `lines`."""
    label: Callable[[Any], str] = str
    """Gives the readable form of a name on the axis. Tables hold the name itself."""
    series: str | None = None
    """The title of the legend; None if the series speak for themselves."""
    table: str = ""
    """The end of the titles of tables, which states what the cells are; empty if there are no tables."""
    scale: tuple[str, float, float] = (ACCURACY, 0, 1)
    """The title of the axis of values, if they are no accuracies; and its ends, if names are rows."""
    down: bool = False
    """Whether names are rows, each with an interval, instead of points on a horizontal axis."""
    from_zero: bool = False
    """Whether an axis of numbers begins at 0, with round numbers."""
    lines: Sequence[float] = ()
    """Values at which a dashed line is drawn, such as the accuracy of guessing."""
    note: str = ""
    """A sentence below the charts."""
    layers: Callable[[Spec, Spec], list[Spec]] = lambda x, colour: []
    """Gives further layers of a chart from the encodings of its x axis and its colours."""
    fewest: int = 2
    """The fewest places on the axis for which there is a chart."""
    finding: bool = True
    """Whether an accuracy that falls as the numbers on the axis grow is a finding."""

    def charts(self) -> Iterator[Chart]:
        """Yield a chart for each series that several facets have, with a curve for each facet; then one for each facet.

        The latter are left out where a facet has one series, since the former show all of it.
        """
        facets = grouped(self._measured(), _facet)
        compared = self._compared(facets)
        for number, (series, points) in enumerate(compared.items(), start=1):
            name = f"{self.name}-compared-{number}"
            title = f"{self.title}: {series}" if len({point.series for point in self._measured()}) > 1 else self.title
            spec, note = self._drawn(points, None)
            yield Chart(name, "", title, spec, self._table(title, points), note_of(self.note, note, _dotted(points)))
        if compared and all(len({point.series for point in points}) == 1 for points in facets.values()):
            return
        for number, (facet, points) in enumerate(facets.items(), start=1):
            if len({point.x for point in points}) >= self.fewest:
                name, title = (f"{self.name}-{number}", f"{self.title}: {facet}") if facet else (self.name, self.title)
                spec, note = self._drawn(points, self.series)
                note = note_of(self.note, note, _dotted(points))
                yield Chart(name, "", title, spec, self._table(title, points), note)

    def tables(self) -> Iterator[Table]:
        """Yield a table for each facet: x down, series across."""
        for facet, points in grouped(self.points, _facet).items() if self.table else ():
            yield self._table(f"{_place(self.heading, facet)}: {self.table}", points)

    def falls(self) -> dict[tuple[str, str], str]:
        """Return how the accuracy falls as x grows, by facet and series.

        It falls if the interval at the smallest number lies above that at the largest.
        """
        found = {}
        for place, points in self.curves().items():
            first, last = points[0], points[-1]
            if isinstance(first.x, int | float) and interval(first.value)[0] > interval(last.value)[1]:
                found[place] = (
                    f"accuracy falls from {estimate(first.value):.2f} at {self._says(first.x)} "
                    f"to {estimate(last.value):.2f} at {self._says(last.x)}"
                )
        return found

    def findings(self) -> Iterator[str]:
        """Yield a sentence for each rate that falls."""
        for place, fall in self.falls().items() if self.finding else ():
            yield f"{_place(self.heading, *place)}: {fall}."

    def data(self) -> list[dict[str, Any]]:
        """Return the measured points for summary.json."""
        return [
            {
                **({"of": point.facet} if point.facet else {}),
                self.x: point.x,
                "series": point.series,
                "n": point.value.n,
                "rate": estimate(point.value),
                **dict(zip(("lo", "hi"), interval(point.value), strict=True)),
                **({"lexical": point.lexical.rate} if point.lexical.n else {}),
            }
            for point in self._measured()
        ]

    def curves(self) -> dict[tuple[str, str], list[RatePoint]]:
        """Return the measured points of each facet and series; numbers are sorted."""
        curves = grouped(self._measured(), lambda point: (point.facet, point.series))
        return {place: _sorted(points) for place, points in curves.items()}

    def _compared(self, facets: Mapping[str, Sequence[RatePoint]]) -> dict[str, list[RatePoint]]:
        """Return the points of each series that several facets have, with the facets as series.

        There are none if there are more facets than colours.
        """
        if not 1 < len(facets) <= len(SERIES):
            return {}
        found: dict[str, list[RatePoint]] = {}
        for series, points in grouped(self._measured(), lambda point: point.series).items():
            places = grouped(points, _facet)
            if len(places) > 1 and len({point.x for point in points}) >= self.fewest:
                found[series] = [replace(point, series=point.facet) for point in points]
        return found

    def _measured(self) -> list[RatePoint]:
        return [point for point in self.points if point.value.n]

    def _table(self, title: str, points: Sequence[RatePoint]) -> Table:
        return Table.pivot(title, [(point.x, point.series, str(point.value)) for point in points], self.x)

    def _drawn(self, points: Sequence[RatePoint], legend: str | None) -> tuple[Spec, str]:
        """Return the specification of a chart, and a note if points are rings."""
        colour = colours("series", list(dict.fromkeys(point.series for point in points)), legend)
        values = [
            {
                "x": point.x if isinstance(point.x, int | float) else self.label(point.x),
                "series": point.series,
                "rate": estimate(point.value),
                **dict(zip(("lo", "hi"), interval(point.value), strict=True)),
                "say": f"{self._says(point.x)}, {point.series}: {point.value}",
            }
            for point in points
        ]
        title, low, high = self.scale
        if self.down:
            names = list(dict.fromkeys(str(value["x"]) for value in values))
            across = field("rate", "quantitative", title, scale={"domain": [low, high]})
            rows = intervals(field("x", "ordinal", None, sort=names), colour, across)
            overall = [at(rate, "x", DOTTED) for rate in _matched(points, lambda point: "").values()]
            return layered(
                values,
                [*(at(line, "x") for line in self.lines), *overall, *rows],
                height=max(ROW, OF_SERIES * len(colour["scale"]["domain"])) * len(names),
            ), ""
        x = self._axis([value["x"] for value in values])
        marked, note = ringed(values, "x") if has_order(x) else ([{**value, "ring": 0} for value in values], "")
        alone = _matched(points, lambda point: point.x if isinstance(point.x, int | float) else self.label(point.x))
        layers = [
            *(at(line, "y") for line in self.lines),
            *curves(x, colour, bool(note), title),
            *self.layers(x, colour),
        ]
        if len(set(alone.values())) == 1:
            layers.insert(0, at(next(iter(alone.values())), "y", DOTTED))
        elif alone:
            layers.insert(0, dotted(x, [{"x": place, "rate": rate} for place, rate in alone.items()], title))
        return layered(marked, layers), note

    def _axis(self, places: Sequence[Any]) -> Spec:
        title = self.x if self.axis is None else self.axis
        if not all(isinstance(place, int | float) for place in places):
            names = list(dict.fromkeys(map(str, places)))
            axis = UNITLESS if all(name.endswith("%") for name in names) else labelled(names)
            return field("x", "ordinal", title or None, sort=names, axis=axis)
        written = ",d" if all(isinstance(place, int) for place in places) else ","
        if self.from_zero:
            return field("x", "quantitative", title, axis={"format": written})
        numbers = sorted(set(places))
        kind = "log" if 0 < WIDE * numbers[0] <= numbers[-1] else "linear"
        scale = {"type": kind, "zero": False, "nice": False, "padding": 16}
        return field("x", "quantitative", title, scale=scale, axis={"values": numbers, "format": written})

    def _says(self, x: int | float | str) -> str:
        """Return a place on the axis as text: `5 lines`, or `k 512` for a number without a unit."""
        if isinstance(x, str):
            return self.label(x)
        return f"{x:,} {self.unit}" if self.unit else f"{self.x} {x:,}"


def _matched(points: Sequence[RatePoint], place: Callable[[RatePoint], Any]) -> dict[Any, float]:
    """Return what the lexical baseline answers at each place on the axis; nothing of points that have none."""
    rates = {where: pooled(point.lexical for point in same) for where, same in grouped(points, place).items()}
    return {where: rate.rate for where, rate in rates.items() if rate.n}


def _dotted(points: Sequence[RatePoint]) -> str:
    """Return a sentence on the dotted line of a chart; nothing if it has none."""
    alone = pooled(point.lexical for point in points)
    return f"Dotted: the lexical baseline (word overlap), {alone.rate:.2f} over all of these." if alone.n else ""


def _facet(point: RatePoint) -> str:
    return point.facet


def _place(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _sorted(points: list[RatePoint]) -> list[RatePoint]:
    numbers = all(isinstance(point.x, int | float) for point in points)
    return sorted(points, key=lambda point: float(point.x)) if numbers else points


def estimate(value: Rate | Paired | Averaged) -> float:
    """Return the accuracy, or the difference of two."""
    return value.rate if isinstance(value, Rate) else value.difference


def interval(value: Rate | Paired | Averaged) -> tuple[float, float]:
    """Return the ends of the 95% interval."""
    return (value.lo, value.hi) if isinstance(value, Rate) else value.interval()
