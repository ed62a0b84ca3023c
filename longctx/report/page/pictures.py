"""The pictures of the first screen: accuracy by length of each test, and the bands of a gate as a forest plot.

They are small and many, so templates draw them (multiples.html, forest.html): Vega-Lite takes 50 ms and 15 kB each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from longctx.report.document import ForestBand
from longctx.results.row import grouped, short_names
from longctx.stats.rates import Rate, pooled
from longctx.summary.summary import Summary
from longctx.views.answers import CellSummary
from longctx.vocabulary.cell import LENGTHS, is_check

WIDTH, HEIGHT = 250, 150
LEFT, RIGHT, TOP, BOTTOM = 30, 14, 10, 24
"""The size and the margins of a panel."""
LETTER, GAP = 6, 8
"""The width of a digit of an axis, and the least distance between two numbers."""
WIDE = 10
"""Lengths from one to this many times as large have a logarithmic axis."""
PLOT, ROW, LONGEST = 420, 26, 60
"""The width of a forest plot, the height of a band, and the most letters of its name."""
MARKS = "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z", "M-4,-4h8v8h-8Z", "M0,-5l5,9h-10Z", "M0,-5l5,5l-5,5l-5,-5Z"
"""A circle, a square, a triangle, a diamond: subjects have a shape and a colour."""
COLOURS = 8


@dataclass(frozen=True, slots=True)
class PlacedPoint:
    """A mark of a picture. Places are pixels."""

    x: float
    y: float
    low: float
    """The place of the lower end of its interval."""
    high: float
    say: str


@dataclass(frozen=True, slots=True)
class PanelCurve:
    """The accuracies of one subject."""

    subject: str
    number: int
    """The place of the subject in the legend, from 0."""
    points: Sequence[PlacedPoint]

    @property
    def colour(self) -> str:
        return f"var(--series-{self.number % COLOURS + 1})"

    @property
    def mark(self) -> str:
        return MARKS[self.number % len(MARKS)]


@dataclass(frozen=True, slots=True)
class Panel:
    """Accuracy by length of one test, on a scale from 0 to 1 that all panels share."""

    title: str
    id: str
    """The anchor of its section."""
    unit: str
    curves: Sequence[PanelCurve]
    ticks: Sequence[tuple[float, str]]
    """The lengths that the axis names, and their places."""
    grid: Sequence[tuple[float, str]]
    width: ClassVar[int] = WIDTH
    height: ClassVar[int] = HEIGHT
    left: ClassVar[int] = LEFT
    right: ClassVar[int] = WIDTH - RIGHT


def panels(summary: Summary) -> list[Panel]:
    """Return a panel for each test that was measured at several lengths."""
    subjects: dict[str, int] = {}
    names = short_names(each.subject for each in summary.cells if each.rate.n and not is_check(each.test))
    result = []
    for name, test in summary.tests.items():
        cells = [each for each in summary.of(name) if each.rate.n]
        if is_check(name) or not (key := _length(cells, test.size)):
            continue
        rates: dict[str, dict[int, list[Rate]]] = {}
        for each in _comparable(cells, key, test.variant):
            rates.setdefault(names[each.subject], {}).setdefault(int(each.params[key] or 0), []).append(each.rate)
        lengths = sorted({length for of_subject in rates.values() for length in of_subject})
        places = _places(lengths)
        curves = [
            PanelCurve(
                subject,
                subjects.setdefault(subject, len(subjects)),
                [
                    _point(places[length], pooled(of_length), f"{length:,} {test.unit}, {subject}")
                    for length, of_length in sorted(of_subject.items())
                ],
            )
            for subject, of_subject in rates.items()
        ]
        ticks = _ticks(places)
        grid = [(_height(share), f"{share:g}") for share in (0.0, 0.5, 1.0)]
        result.append(Panel(test.title, name.replace("_", "-"), test.unit, curves, ticks, grid))
    return result


def legend(panels: Sequence[Panel]) -> list[PanelCurve]:
    """Return a curve of each subject, in the order of its number."""
    known = {curve.number: curve for panel in panels for curve in panel.curves}
    return [known[number] for number in sorted(known)]


def _length(cells: Sequence[CellSummary], size: str | None) -> str | None:
    """Return the parameter that is the length of the context, if it has several values."""
    for name in [size] if size else LENGTHS:
        values = {each.params.get(name) for each in cells}
        if len(values) > 1 and all(isinstance(value, int) and value > 0 for value in values):
            return name
    return None


def _comparable(cells: Sequence[CellSummary], key: str, variant: str) -> list[CellSummary]:
    """Return the cells of the variants that a subject has at every length; all, if there is no such variant."""
    found = []
    for of_subject in grouped(cells, lambda each: each.subject).values():
        at = grouped(of_subject, lambda each: each.params[key]).values()
        common = set.intersection(*({each.params.get(variant) for each in of_length} for of_length in at))
        found += [each for each in of_subject if each.params.get(variant) in common] or of_subject
    return found


def _ticks(places: Mapping[int, float]) -> list[tuple[float, str]]:
    """Return the lengths that an axis names: the longest, and before it those that have room."""
    ticks: list[tuple[float, str]] = []
    for length, place in reversed(list(places.items())):
        text = _short(length)
        if not ticks or ticks[-1][0] - place > LETTER * (len(text) + len(ticks[-1][1])) / 2 + GAP:
            ticks.append((place, text))
    return ticks


def _places(lengths: Sequence[int]) -> dict[int, float]:
    of = math.log if lengths[-1] >= WIDE * lengths[0] else float
    low, high, first, last = of(lengths[0]), of(lengths[-1]), LEFT + 12, WIDTH - RIGHT - 8
    return {length: first + (last - first) * (of(length) - low) / (high - low) for length in lengths}


def _point(x: float, rate: Rate, where: str) -> PlacedPoint:
    return PlacedPoint(x, _height(rate.rate), _height(rate.lo), _height(rate.hi), f"{where}: {rate}")


def _height(rate: float) -> float:
    return TOP + (1 - rate) * (HEIGHT - TOP - BOTTOM)


def _short(length: int) -> str:
    return f"{length / 1000:.3g}k" if length >= 10_000 else f"{length:,}"


@dataclass(frozen=True, slots=True)
class Forest:
    """The change of accuracy in each band of a gate, with its interval, beside a line at 0 and one at the margin."""

    rows: Sequence[tuple[ForestBand, PlacedPoint]]
    ticks: Sequence[tuple[float, str]]
    zero: float
    margin: float
    left: float
    """The width of the names."""
    height: int

    @property
    def width(self) -> float:
        return self.left + PLOT + 30


def forest(bands: Sequence[ForestBand], margin: float) -> Forest | None:
    """Return the plot of these bands; None without any. margin: the drop that the gate rules out, a share."""
    if not bands:
        return None
    ends = [abs(end) for band in bands for end in (*band.interval, band.difference)]
    most = min(1.0, 1.08 * max(2 * margin, *ends))
    left = LETTER * 1.2 * min(LONGEST, max(len(band.name) for band in bands)) + 20

    def x(change: float) -> float:
        return left + PLOT * (change + most) / (2 * most)

    rows = []
    for place, band in enumerate(bands):
        low, high = band.interval
        say = f"{band.name}: {band.difference:+.3f} [{low:+.2f}, {high:+.2f}], {band.verdict}"
        rows.append((band, PlacedPoint(x(band.difference), ROW * place + ROW / 2 + 2, x(low), x(high), say)))
    ticks = [(-most, f"{-most:+.0%}"), (-margin, f"-{margin:.1%}"), (0.0, "0"), (most, f"{most:+.0%}")]
    return Forest(rows, [(x(change), text) for change, text in ticks], x(0.0), x(-margin), left, ROW * len(bands) + 34)
