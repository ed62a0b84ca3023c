"""Draws every chart as SVG, in one style.

Colours are CSS variables, so that a chart in a page follows its light or dark theme. Each mark carries what it shows as
its label, which the page's script shows as a tooltip and a screen reader reads. The page's style has the font.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from typing import NamedTuple

from longctx.results.grouping import grouped
from longctx.text import visible
from longctx.views.chart import COLOURS, Chart, Plot, PlotMark

NARROW, WIDE = 380, 1120
"""The widths of a chart in a column and of one across the page, in pixels."""
FONT = "system-ui, Arial, Helvetica, sans-serif"
LETTER = 6.1
"""The width of a letter, about."""
HEIGHT, LANE, ROW_GAP, CELL = 170, 15, 7, 24
"""The heights of an area of curves, of a mark in a row, of what is between two rows, and of a cell of a heat map."""
TALL, PANELS = 560, 3
"""The height above which a chart of rows is drawn in panels, and how many fit side by side on a page."""
DODGE = 6
"""The most that lies between two series at the same place."""
TEN = 10
"""The ratio of the largest to the smallest number from which an axis is logarithmic."""
SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
    "M-3.6,-3.6h7.2v7.2h-7.2Z",
    "M0,-4.6l4.6,8.2h-9.2Z",
    "M0,-5l5,5l-5,5l-5,-5Z",
)
INK, SOFT, RULE = "var(--ink)", "var(--ink-soft)", "var(--rule)"
SALT = 9857
"""With it, the models of this repository's recordings have different colours."""
Pixels = tuple[float, float]
"""x and y."""
Numbers = Mapping[str, int]
"""The numbers of the models' colours."""


def numbers_of(models: Iterable[str]) -> dict[str, int]:
    """Return the number of each model's colour: the same on all pages, unless another model of the page has it."""
    numbers: dict[str, int] = {}
    for model in sorted(set(models)):
        numbers[model] = _free(sha256(f"{SALT}{model}".encode()).digest()[0] % COLOURS, numbers.values())
    return numbers


def _free(number: int, taken: Iterable[int]) -> int:
    used = set(taken)
    return next((each % COLOURS for each in range(number, number + COLOURS) if each % COLOURS not in used), number)


class Drawn(NamedTuple):
    """A chart and its SVG."""

    chart: Chart
    svg: str


class Style(NamedTuple):
    """How a series is drawn."""

    colour: str
    shape: str


def draw(chart: Chart, numbers: Numbers | None = None, width: int = NARROW) -> str:
    """Return the chart as SVG, without its title. numbers: each model's, from `numbers_of`."""
    return _drawing(chart, numbers, width).svg(chart.title)


def draw_panels(chart: Chart, numbers: Numbers | None = None) -> str:
    """Return the chart as SVG; if it has rows and is tall, as several that have the same axis, and the last the legend.

    A page shows them side by side, and on a phone one below another.
    """
    whole, count = _drawing(chart, numbers, NARROW), len({str(mark.x) for mark in chart.plot.marks})
    if whole.height <= TALL or chart.plot.kind in ("curves", "heat") or count < PANELS:
        return whole.svg(chart.title)
    each = math.ceil(count / PANELS)
    parts = [range(start, min(start + each, count)) for start in range(0, count, each)]
    return "".join(
        _drawing(chart, numbers, NARROW, part).svg(f"{chart.title}, {number} of {len(parts)}")
        for number, part in enumerate(parts, start=1)
    )


def standing_alone(svg: str, title: str, colours: Mapping[str, str]) -> str:
    """Return a drawn chart as a file of its own: with its title, a background, and colours in place of variables."""
    filled = re.sub(r"var\((--[\w-]+)\)", lambda match: colours[match[1]], svg)
    font = f'font-family="{FONT}" font-size="11" fill="{colours["--ink-soft"]}"'
    _, _, width, height = map(int, re.search(r'viewBox="([^"]+)"', svg)[1].split())  # type: ignore[index]
    lines = _wrapped(visible(title), int(width / LETTER / 1.1))
    head = "".join(
        f'<text x="8" y="{20 + 17 * index}" font-family="{FONT}" font-size="13" font-weight="600" '
        f'fill="{colours["--ink"]}">{escape(line)}</text>'
        for index, line in enumerate(lines)
    )
    top = 14 + 17 * len(lines)
    placed = filled.replace("<svg ", f'<svg y="{top}" width="{width}" height="{height}" {font} ', 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + top}" '
        f'style="background: {colours["--paper"]}">{head}{placed}</svg>\n'
    )


def _drawing(chart: Chart, numbers: Numbers | None, width: int, part: range | None = None) -> _Drawing:
    drawing = _Drawing(chart.plot, _styles(chart.plot, numbers or {}), width, part)
    {"curves": _curves, "heat": _heat}.get(chart.plot.kind, _rows)(drawing)
    return drawing


def _styles(plot: Plot, numbers: Numbers) -> dict[str, Style]:
    """Return the style of each series. The first of a model has the model's colour; others have colours of no model."""
    names = dict.fromkeys(mark.series for mark in plot.marks)
    taken: dict[str, int] = {}
    for name in names:
        number = numbers.get(name.partition(",")[0])
        if number is not None and number not in taken.values():
            taken[name] = number
    for name in names:
        if name not in taken:
            taken[name] = _free(_free(0, [*numbers.values(), *taken.values()]), taken.values())
    return {
        name: Style(
            plot.colours.get(name, f"var(--series-{taken[name] + 1})"),
            SHAPES[0] if name in plot.colours else SHAPES[index % len(SHAPES)],
        )
        for index, name in enumerate(names)
    }


def _wrapped(text: str, room: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


@dataclass(slots=True)
class _Drawing:
    """A chart that is being drawn. Places are pixels."""

    plot: Plot
    styles: Mapping[str, Style]
    width: int
    part: range | None = None
    """The rows to draw; None for all."""
    parts: list[str] = field(default_factory=list)
    height: float = 0

    def svg(self, title: str) -> str:
        label = escape(visible(title))
        return (
            f'<svg viewBox="0 0 {self.width} {math.ceil(self.height)}" role="group" aria-label="{label}">'
            f"{''.join(self.parts)}</svg>"
        )

    def text(self, x: float, y: float, text: str, anchor: str = "", colour: str = "", room: float = math.inf) -> None:
        """Write a text, cut to the room that it has."""
        text = visible(text)
        most = math.inf if math.isinf(room) else int(room / LETTER)
        text = text if len(text) <= most else f"{text[: max(0, int(most) - 1)]}…"
        where = f' text-anchor="{anchor}"' if anchor else ""
        fill = f' fill="{colour}"' if colour else ""
        self.parts.append(f'<text x="{_n(x)}" y="{_n(y)}"{where}{fill}>{escape(text)}</text>')

    def line(self, start: Pixels, end: Pixels, colour: str = RULE, more: str = "") -> None:
        self.lines([(start, end)], colour, more)

    def lines(self, ends: Iterable[tuple[Pixels, Pixels]], colour: str = RULE, more: str = "") -> None:
        """Draw lines that look alike as one path."""
        if path := "".join(f"M{_n(x)},{_n(y)}{_to(x, y, *end)}" for (x, y), end in ends):
            self.parts.append(f'<path d="{path}" stroke="{colour}"{more}/>')

    def point(self, x: float, y: float, style: Style, say: str, scale: float = 1) -> None:
        smaller = f" scale({_n(scale)})" if scale < 1 else ""
        self.parts.append(
            f'<path d="{style.shape}" transform="translate({_n(x)},{_n(y)}){smaller}" fill="{style.colour}"'
            f"{_said(say)}/>"
        )

    def bar(self, left: float, y: float, width: float, height: float, colour: str, say: str) -> None:
        self.parts.append(
            f'<rect x="{_n(left)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(height)}" fill="{colour}"'
            f"{_said(say)}/>"
        )

    def legend(self, y: float) -> None:
        """Draw the legend at the bottom, if the chart has one, and set the height of the chart."""
        names, title = list(self.styles), self.plot.legend
        self.height = y
        if title is None or (len(names) < 2 and not title) or names == [""]:
            return
        x, y = 4.0, y + 12
        if title:
            self.text(x, y, f"{title}:")
            x += LETTER * (len(title) + 1) + 8
        for name in names:
            takes = 18 + LETTER * len(visible(name))
            if x + takes > self.width and x > 4:
                x, y = 4.0, y + 16
            style = self.styles[name]
            shape = SHAPES[1] if self.plot.kind in ("bars", "shares") else style.shape
            self.point(x + 5, y - 4, Style(style.colour, shape), "")
            self.text(x + 14, y, name, colour=INK, room=self.width - x - 14)
            x += takes + 10
        self.height = y + 6


def _said(say: str) -> str:
    return f' role="img" aria-label="{escape(visible(say))}"' if say else ' aria-hidden="true"'


def _to(x: float, y: float, to_x: float, to_y: float) -> str:
    """Return the path command that draws a line from one place to another."""
    if _n(x) == _n(to_x):
        return f"V{_n(to_y)}"
    return f"H{_n(to_x)}" if _n(y) == _n(to_y) else f"L{_n(to_x)},{_n(to_y)}"


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


# ---- scales


class _Scale(NamedTuple):
    """Where values are."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        of = math.log if self.log else float
        span = of(self.high) - of(self.low)
        share = (of(value) - of(self.low)) / span if span else 0.5
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))


def _extent(plot: Plot) -> tuple[float, float]:
    """Return the ends of the axis of values."""
    if plot.ends:
        return plot.ends
    values = [end for mark in plot.marks for end in (mark.value, *(mark.interval or ()))]
    values += [value for value, _ in plot.lines]
    if plot.kind == "bars" or not values:
        values.append(0.0)
    low, high = min(values), max(values)
    step = _step(low, high)
    return math.floor(low / step) * step, max(math.ceil(high / step) * step, math.floor(low / step) * step + step)


def _step(low: float, high: float) -> float:
    """Return a round distance for about five numbers of an axis."""
    rough = ((high - low) or 1.0) / 5
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return the numbers that an axis of values names."""
    step = 0.5 if (low, high) == (0.0, 1.0) else _step(low, high)
    digits = max(0, -math.floor(math.log10(step)))
    first, last = round(low / step), math.ceil(high / step - 1e-9)
    return [(index * step, f"{index * step:,.{digits}f}") for index in range(first, last + 1)]


def _named(places: Mapping[int | float | str, float]) -> list[tuple[float, str]]:
    """Return the places that an axis names, of numbers those that have room: the last one, and others before it."""
    ticks: list[tuple[float, str]] = []
    for place, x in reversed(list(places.items())):
        text = place if isinstance(place, str) else _short(place)
        if not ticks or ticks[-1][0] - x > LETTER * (len(text) + len(ticks[-1][1])) / 2 + 6:
            ticks.append((x, text))
    return ticks


def _short(number: float) -> str:
    return f"{number / 1000:.4g}k" if number >= 10_000 and number % 100 == 0 else f"{number:,}"


# ---- curves


def _curves(drawing: _Drawing) -> None:
    """Draw values over an axis of numbers or of names in order, a curve for each series."""
    plot, width = drawing.plot, drawing.width
    ticks = _ticks(*_extent(plot))
    left, top = LETTER * max(len(text) for _, text in ticks) + 12, 22.0
    bottom = top + HEIGHT
    series = list(drawing.styles)
    places = dict.fromkeys(mark.x for mark in plot.marks)
    dodge = min(DODGE, 0.8 * (width - left - 24) / max(1, len(places) * len(series)))
    side = 12 + dodge * (len(series) - 1) / 2
    xs = _places(plot, list(places), left + side, width - 12 - side)
    y = _Scale(*_extent(plot), bottom, top)
    drawing.text(4, 12, plot.value, room=width - 8)
    drawing.lines(((left, y(value)), (width - 8, y(value))) for value, _ in ticks)
    for value, text in ticks:
        drawing.text(left - 5, y(value) + 4, text, "end")
    for x, text in _marked(plot, xs, left + side, width - 12 - side):
        drawing.text(x, bottom + 16, text, "middle")
    if plot.x:
        drawing.text((left + width - 8) / 2, bottom + 32, plot.x, "middle", room=width - left)
    _across(drawing, y, left, xs)
    scale = min(1.0, max(0.5, dodge / 4)) if len(series) > 1 else 1.0
    curves = grouped(plot.marks, lambda mark: mark.series)
    alone = all(len(marks) == 1 for marks in curves.values())
    for name, marks in curves.items():
        side_by_side = [other for other in series if curves[other][0].x == marks[0].x] if alone else series
        moved = dodge * (side_by_side.index(name) - (len(side_by_side) - 1) / 2)
        _curve(drawing, drawing.styles[name], [(xs[mark.x] + moved, mark) for mark in marks], y, scale)
    for number, upright in enumerate(plot.uprights):
        style = drawing.styles.get(upright.series, Style(SOFT, SHAPES[0]))
        x = xs.get(upright.x, left) + dodge * (list(drawing.styles).index(upright.series) if len(series) > 1 else 0)
        label = _said(upright.say)
        drawing.line((x, top), (x, bottom), style.colour, f' stroke-dasharray="6 3"{label}')
        drawing.text(x - 4, bottom - 6 - 13 * number, upright.name, "end", style.colour)
    drawing.legend(bottom + (38 if plot.x else 22))


def _places(
    plot: Plot, places: Sequence[int | float | str], start: float, end: float
) -> dict[int | float | str, float]:
    numbers = sorted(place for place in places if not isinstance(place, str))
    if len(numbers) < len(places):
        step = (end - start) / max(1, len(places) - 1)
        return {place: start + step * number for number, place in enumerate(places)}
    least = 0.0 if plot.from_zero else numbers[0] if numbers else 0.0
    most = (_ticks(0.0, numbers[-1])[-1][0] if plot.from_zero else numbers[-1]) if numbers else 1.0
    scale = _Scale(least, most, start, end, log=not plot.from_zero and 0 < TEN * least <= most)
    return {number: scale(number) for number in numbers}


def _marked(plot: Plot, xs: Mapping[int | float | str, float], start: float, end: float) -> list[tuple[float, str]]:
    """Return what the axis names: the places that were measured, or round numbers if it begins at 0."""
    numbers = [place for place in xs if not isinstance(place, str)]
    if not plot.from_zero or not numbers:
        return _named(xs)
    ticks = _ticks(0.0, max(numbers))
    scale = _Scale(0.0, ticks[-1][0], start, end)
    return [(scale(value), text) for value, text in ticks]


def _across(drawing: _Drawing, y: _Scale, left: float, xs: Mapping[int | float | str, float]) -> None:
    """Draw the dashed lines and the dotted one."""
    plot, right = drawing.plot, drawing.width - 8
    for value, name in plot.lines:
        drawing.line((left, y(value)), (right, y(value)), SOFT, ' stroke-dasharray="4 4"')
        if name:
            drawing.text(right, y(value) - 4, name, "end")
    ordered = sorted(((xs[x], value) for x, value in plot.dotted if x in xs), key=lambda point: point[0])
    if len({value for _, value in ordered}) == 1:
        ordered = [(left, ordered[0][1]), (right, ordered[0][1])]
    for start, end in itertools.pairwise(ordered):
        drawing.line((start[0], y(start[1])), (end[0], y(end[1])), SOFT, ' stroke-dasharray="1 3"')


def _curve(drawing: _Drawing, style: Style, marks: Sequence[tuple[float, PlotMark]], y: _Scale, scale: float) -> None:
    ordered = sorted(marks, key=lambda placed: placed[0])
    intervals = [(x, *mark.interval) for x, mark in ordered if mark.interval]
    drawing.lines((((x, y(low)), (x, y(high))) for x, low, high in intervals), style.colour, ' stroke-opacity=".55"')
    if len(ordered) > 1:
        points = " ".join(f"{_n(x)},{_n(y(mark.value))}" for x, mark in ordered)
        drawing.parts.append(
            f'<polyline points="{points}" fill="none" stroke="{style.colour}" stroke-width="{_n(1.5 * scale)}"/>'
        )
    for x, mark in ordered:
        drawing.point(x, y(mark.value), style, mark.say, scale)


# ---- rows


def _rows(drawing: _Drawing) -> None:
    """Draw a row for each name: points with intervals, bars, or shares of it."""
    plot, width = drawing.plot, drawing.width
    rows = grouped(plot.marks, lambda mark: str(mark.x))
    longest = LETTER * max(map(len, map(visible, rows)), default=0) + 14
    written = LETTER * max((len(mark.text) for mark in plot.marks), default=0)
    beside = longest + written <= 0.5 * width
    left = max(longest if beside else 6, 10.0)
    right = width - (written + 16 if written else 18)
    x = _Scale(*((0.0, 1.0) if plot.kind == "shares" else _extent(plot)), left, right)
    named = [line for line in plot.lines if line[1]]
    top = 18.0 if named else 4.0
    shown = list(rows.items())
    shown = shown[drawing.part.start : drawing.part.stop] if drawing.part else shown
    lane = LANE if plot.kind != "bars" else 11
    over = 0 if beside else 15
    tall = [lane * (1 if plot.kind == "shares" else len(marks)) + ROW_GAP + over for _, marks in shown]
    bottom = top + sum(tall)
    ticks = [(0.0, "0%"), (0.5, "50%"), (1.0, "100%")] if plot.kind == "shares" else _ticks(x.low, x.high)
    drawing.lines(((x(value), top), (x(value), bottom)) for value, _ in ticks)
    _down(drawing, x, top, bottom)
    y = top
    for (name, marks), height in zip(shown, tall, strict=True):
        if beside:
            drawing.text(left - 8, y + (height - ROW_GAP) / 2 + 6, name, "end", INK, left)
        else:
            drawing.text(4, y + 12, name, colour=INK, room=width - 8)
        _row(drawing, marks, x, y + ROW_GAP / 2 + over, lane)
        y += height
    for value, text in ticks:
        drawing.text(x(value), bottom + 14, text, "middle")
    title = "share of trials" if plot.kind == "shares" else plot.value
    drawing.text((left + right) / 2, bottom + 29, title, "middle", room=width)
    drawing.height = bottom + 35
    if drawing.part is None or drawing.part.stop == len(rows):
        drawing.legend(drawing.height)


def _down(drawing: _Drawing, x: _Scale, top: float, bottom: float) -> None:
    """Draw the lines at values and their names, each next to its line where there is room."""
    lines = [*drawing.plot.lines, *((value, "") for _, value in drawing.plot.dotted)]
    for index, (value, name) in enumerate(sorted(lines)):
        dash = "1 3" if (value, name) not in drawing.plot.lines else "4 4"
        drawing.line((x(value), top - 4), (x(value), bottom), SOFT, f' stroke-dasharray="{dash}"' * bool(value))
        if name:
            anchor = "end" if index + 1 < len(lines) or x(value) > drawing.width - LETTER * len(name) else "start"
            drawing.text(x(value) + (3 if anchor == "start" else -3), top - 7, name, anchor)


def _row(drawing: _Drawing, marks: Sequence[PlotMark], x: _Scale, top: float, lane: float) -> None:
    if drawing.plot.kind == "shares":
        total, start = sum(mark.value for mark in marks), 0.0
        for mark in marks:
            share = mark.value / total if total else 0.0
            colour = drawing.styles[mark.series].colour
            drawing.bar(x(start), top + 1, x(start + share) - x(start), lane - 2, colour, mark.say)
            start += share
        return
    for index, mark in enumerate(marks):
        style, middle = drawing.styles[mark.series], top + lane * (index + 0.5)
        if drawing.plot.kind == "bars":
            drawing.bar(x(0), middle - lane / 2 + 1, x(mark.value) - x(0), lane - 2, style.colour, mark.say)
        else:
            if mark.interval:
                low, high = mark.interval
                drawing.line((x(low), middle), (x(high), middle), style.colour, ' stroke-width="2"')
            drawing.point(x(mark.value), middle, style, mark.say)
        if mark.text:
            drawing.text(drawing.width - 4, middle + 4, mark.text, "end", INK)


# ---- heat maps


def _heat(drawing: _Drawing) -> None:
    """Draw a cell for each mark, with its text: columns by place, rows by series. What has no value has no cell."""
    plot, width = drawing.plot, drawing.width
    columns = list(dict.fromkeys(mark.x for mark in plot.marks))
    wide = (width - 8) / len(columns)
    y = 0.0
    for name, marks in grouped(plot.marks, lambda mark: mark.series).items():
        drawing.text(4, y + 12, name, room=width - 8)
        drawing.parts.append(f'<g text-anchor="middle" fill="{INK}">')
        for mark in marks:
            x = 4 + wide * columns.index(mark.x)
            if not math.isnan(mark.value):
                step = min(9, max(0, int(10 * mark.value)))
                drawing.bar(x, y + 17, wide - 1, CELL - 1, f"var(--heat-{step})", mark.say)
                drawing.text(x + wide / 2, y + CELL / 2 + 20, mark.text)
        drawing.parts.append("</g>")
        y += CELL + 22
    placed: dict[int | float | str, float] = {name: 4 + wide * (index + 0.5) for index, name in enumerate(columns)}
    for middle, text in _named(placed):
        drawing.text(middle, y + 10, text, "middle")
    drawing.text(width / 2, y + 25, plot.x, "middle", room=width)
    drawing.text(4, y + 43, f"{plot.value} 0")
    start = 12 + LETTER * (len(plot.value) + 2)
    for step in range(10):
        drawing.bar(start + 12 * step, y + 35, 12, 9, f"var(--heat-{step})", "")
    drawing.text(start + 126, y + 43, "1")
    drawing.height = y + 50
