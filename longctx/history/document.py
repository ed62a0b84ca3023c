"""The history as a document: a table of level shifts, a table for each track, and a chart for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from longctx.history.levels import LevelShift
from longctx.history.tracks import Point, Track
from longctx.plural import count
from longctx.report.document import Document
from longctx.stats.of_rows import rate_of
from longctx.stats.rates import Rate
from longctx.views.chart import Chart, Spec, note_of
from longctx.views.table import Table
from longctx.views.view import RatePoint, RateView
from longctx.vocabulary.family import Family

METHOD = (
    "A level shifted where binary segmentation finds a cut (changes of the same trials, permutation test), with a "
    "chance of at most {alpha:g} that any on this page is false."
)
VERDICT = (
    "A verdict is the gate's, against the run above in its table, with a margin of {margin:.0%} and alpha {alpha:g}."
)


def document(tracks: Sequence[Track], levels: Sequence[LevelShift], margin: float, alpha: float) -> Document:
    points = [point for track in tracks for point in track.points]
    dates = sorted({point.date for point in points})
    kept = {id(point.kept) for point in points}
    notes = [
        METHOD.format(alpha=alpha) if len(kept) > 1 else "One run is kept: there is nothing yet to compare it with.",
        *([VERDICT.format(margin=margin, alpha=alpha)] if len(kept) > 1 else []),
        *([] if levels or len(kept) < 2 else ["No level is shown to have shifted."]),
    ]
    span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    tables = [*([_levels(levels)] if levels else []), *(_table(track, levels) for track in tracks)]
    return Document(f"History: {count(len(kept), 'kept run')}, {span}", tuple(notes), tuple(tables))


def charts(tracks: Sequence[Track], levels: Sequence[LevelShift], known: Mapping[str, Family]) -> Iterator[Chart]:
    """Yield a chart for each track that has several points."""
    for number, track in enumerate((track for track in tracks if len(track.points) > 1), start=1):
        names = _names(track.points)
        shifts = _shifts(track, names, levels)
        title = _title(known, track.family)
        view = RateView(
            points=[
                RatePoint(name, band, _rate(point, band))
                for name, point in zip(names, track.points, strict=True)
                for band in track.bands
            ],
            name=f"history-{number}",
            heading=title,
            title=f"{title} of {track.subjects[-1].model} over time",
            x="run",
            axis="",
            series="band",
            note=note_of(f"{_whom(track)}.", "A dashed line: a level shifted." if shifts else ""),
            layers=partial(_marks, shifts),
            fewest=1,
        )
        table = _table(track, levels)
        yield from (replace(chart, family=track.family, table=table) for chart in view.charts())


def _marks(shifts: Sequence[dict[str, str]], x: Spec, colour: Spec) -> list[Spec]:
    """Return a dashed line at each point at which a level shifted."""
    mark = {"type": "rule", "strokeDash": [4, 4], "color": "var(--bad)", "strokeWidth": 2}
    encoding = {"x": x, "description": {"field": "say"}}
    return [{"data": {"values": list(shifts)}, "mark": mark, "encoding": encoding}] if shifts else []


def _shifts(track: Track, names: Sequence[str], levels: Sequence[LevelShift]) -> list[dict[str, str]]:
    """Return where levels shifted, and how."""
    return [
        {"x": name, "say": f"{level.band}: {_says(level)}"}
        for name, point in zip(names, track.points, strict=True)
        for level in levels
        if level.point is point
    ]


def _levels(levels: Sequence[LevelShift]) -> Table:
    rows = [
        {
            "family": level.family,
            "of": str(level.point.subject),
            "band": level.band,
            "at": _name(level.point),
            "last before it": _name(level.last),
            "level before": str(level.before),
            "level after": str(level.after),
            "p": f"{level.p_value:.2g}",
            "changed there": "; ".join(level.point.changed) or "no difference found",
        }
        for level in levels
    ]
    return Table.from_rows("Levels that shifted", rows)


def _table(track: Track, levels: Sequence[LevelShift]) -> Table:
    several = len(track.subjects) > 1
    rows = [
        {
            "run": _name(point),
            **({"of": str(point.subject)} if several else {}),
            "longctx": point.kept.manifest.version,
            "profile": point.kept.manifest.profile,
            **{band: _cell(point, band, levels) for band in track.bands},
        }
        for point in track.points
    ]
    return Table.from_rows(f"{track.family}, {_whom(track)}: rate [95% interval], verdict", rows)


def _cell(point: Point, band: str, levels: Sequence[LevelShift]) -> str:
    rate = _rate(point, band)
    parts = [str(rate) if rate.n else "-", point.verdict_of(band)]
    parts += [f"level {_direction(level)}" for level in levels if level.point is point and level.band == band]
    return ", ".join(filter(None, parts))


def _says(level: LevelShift) -> str:
    return f"level {_direction(level)} at {_name(level.point)}, from {level.before} to {level.after}"


def _direction(level: LevelShift) -> str:
    return "up" if level.after.rate > level.before.rate else "down"


def _rate(point: Point, band: str) -> Rate:
    return rate_of(row for row in point.of_band(band) if row.measured)


def _name(point: Point) -> str:
    return f"{point.date} {point.kept.name}"


def _names(points: Sequence[Point]) -> list[str]:
    """Return a unique name for each point, as a chart places points by name."""
    names: list[str] = []
    for point in points:
        name, number = _name(point), 2
        while name in names:
            name, number = f"{_name(point)} ({number})", number + 1
        names.append(name)
    return names


def _whom(track: Track) -> str:
    return " → ".join(str(subject) for subject in track.subjects)


def _title(known: Mapping[str, Family], family: str) -> str:
    return known[family].title if family in known else family
