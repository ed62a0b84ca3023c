"""A view: rates by what varies, declared once, from which come charts, tables, findings and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longctx.results.grouping import grouped
from longctx.stats.averaged import Averaged
from longctx.stats.paired import Paired
from longctx.stats.rates import NO_RATE, Rate, pooled
from longctx.views.answers import CellSummary
from longctx.views.chart import ACCURACY, COLOURS, Chart, Plot, PlotMark, Table, Upright, note_of


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
    cells: tuple[CellSummary, ...] = ()
    """The cells whose trials are counted, of a point of the first table."""
    at: float | str | None = None
    """Its column in the first table; None for x, if x is a number."""
    counts: str = ""
    """What the columns are, if it is not what the facet says: `tokens`."""
    own_row: str | None = None
    """The name of its row there; None for the series, with x if that is a name."""
    part: str = ""
    """The part of the first table that it belongs to, of several about a test."""
    about: tuple[str, ...] = ()
    """What the first table says of its row, such as `earlier version`."""
    states: str = ""
    """What the first table states in place of the accuracy, such as k_max."""

    @classmethod
    def of(cls, x: int | float | str, series: str, cells: Sequence[CellSummary], facet: str = "") -> RatePoint:
        """Return the accuracy over all trials of these cells."""
        return cls(x, series, pooled(cell.rate for cell in cells), facet, cells=tuple(cells))

    @property
    def column(self) -> float | str | None:
        """The column of the first table; None if it has no length."""
        return self.at if self.at is not None else self.x if isinstance(self.x, int | float) else None

    @property
    def row(self) -> str:
        """The name of its row in the first table."""
        if self.own_row is not None:
            return self.own_row
        return self.series if isinstance(self.x, int | float) else " ".join(filter(None, [self.series, self.x]))


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
    """Values at which a dashed line is drawn, such as the accuracy that guessing reaches."""
    note: str = ""
    """A sentence below the charts."""
    uprights: Sequence[Upright] = ()
    """Vertical lines at numbers of the axis."""
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
            note = note_of(self.note, _dotted(points))
            yield Chart(name, "", title, self._plot(points, ""), self._table(title, points), note)
        if compared and all(len({point.series for point in points}) == 1 for points in facets.values()):
            return
        for number, (facet, points) in enumerate(facets.items(), start=1):
            if len({point.x for point in points}) >= self.fewest:
                name, title = (f"{self.name}-{number}", f"{self.title}: {facet}") if facet else (self.name, self.title)
                note = note_of(self.note, _dotted(points))
                yield Chart(name, "", title, self._plot(points, self.series or ""), self._table(title, points), note)

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
        if not 1 < len(facets) <= COLOURS:
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

    def _plot(self, points: Sequence[RatePoint], legend: str) -> Plot:
        """Return what a chart draws. Names without an order are rows; so are those of a view that goes down."""
        title, *ends = self.scale
        alone = len({point.series for point in points}) == 1  # then the colour is that of the subject
        marks = [
            PlotMark(
                x=point.x if isinstance(point.x, int | float) else self.label(point.x),
                value=estimate(point.value),
                interval=interval(point.value),
                series=point.facet if alone and point.facet else point.series,
                say=f"{self._says(point.x)}, {point.series}: {point.value}",
            )
            for point in points
        ]
        names = [mark.x for mark in marks if isinstance(mark.x, str)]
        rows = self.down or (len(names) == len(marks) and not all(name.endswith("%") for name in names))
        lexical = grouped((point for point in points if point.lexical.n), lambda point: "" if rows else point.x)
        return Plot(
            marks=marks,
            kind="rows" if rows else "curves",
            x=self.x if self.axis is None else self.axis,
            value=title,
            ends=(ends[0], ends[1]),
            lines=[(line, "") for line in self.lines],
            dotted=[
                (x if isinstance(x, int | float) else self.label(x), pooled(point.lexical for point in same).rate)
                for x, same in lexical.items()
            ],
            uprights=self.uprights,
            from_zero=self.from_zero,
            legend="" if alone and points[0].facet else legend,
        )

    def _says(self, x: int | float | str) -> str:
        """Return a place on the axis as text: `5 lines`, or `k 512` for a number without a unit."""
        if isinstance(x, str):
            return self.label(x)
        return f"{x:,} {self.unit}" if self.unit else f"{self.x} {x:,}"


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
