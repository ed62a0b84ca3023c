"""Where the level of a band shifted along a track, as its trials show.

Moments are compared on the trials that all of them ask. A moment that asks too few of them begins a new stretch. One
that replays answers of an earlier moment, all or some, tells nothing new and is left out, unless it judges them
otherwise. Trials of one cluster are easy or hard together: a cluster counts as one trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from longctx.compare.pairs import by_key
from longctx.history.tracks import Point, Track
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.stats.rates import Rate
from longctx.stats.segments import Count, shifts

COMMON = 0.5
"""The least share of a stretch's trials that a moment must ask too."""

Asked = dict[object, Row]
"""Trial -> its row."""


@dataclass(frozen=True, slots=True)
class LevelShift:
    """A shift of a band at a point. before, after: rates over the trials that all moments of the stretch ask.
    moments: how many spoke."""

    family: str
    band: str
    last: Point
    point: Point
    before: Rate
    after: Rate
    p_value: float
    moments: int


def level_shifts(tracks: Sequence[Track], alpha: float) -> list[LevelShift]:
    """The shifts in all tracks and bands, with a chance of at most alpha that any is false."""
    stretches = [
        (track.family, band, stretch) for track in tracks for band in track.bands for stretch in _stretches(track, band)
    ]
    return [
        shift for family, band, stretch in stretches for shift in _shifts(family, band, stretch, alpha / len(stretches))
    ]


Stretch = list[tuple[Point, Asked]]


def _stretches(track: Track, band: str) -> Iterator[Stretch]:
    """Moments that can be compared, two or more; each with the trials that all of them ask."""
    stretch: Stretch = []
    common: set[object] = set()
    seen: dict[object, int] = {}
    for point in track.points:
        rows = point.of_band(band)
        asked = _asked(rows)
        judged = _judged(rows)
        again = judged.keys() & seen.keys()
        if not asked or (again and all(judged[answers] == seen[answers] for answers in again)):
            continue
        seen |= judged
        both = common & asked.keys()
        if stretch and len(both) < COMMON * len(common):
            yield from _whole(stretch, common)
            stretch, both = [], set(asked)
        common = both or set(asked)
        stretch.append((point, asked))
    yield from _whole(stretch, common)


def _asked(rows: Sequence[Row]) -> Asked:
    """The trials that were measured, each with the version of its family."""
    return {(row.version, key): row for key, row in by_key(rows).items() if row.measured}


def _judged(rows: Sequence[Row]) -> dict[object, int]:
    """The recorded answers of each scenario -> how many of them are right."""
    groups = grouped((row for row in rows if row.answers is not None), lambda row: (row.scenario, row.answers))
    return {answers: sum(row.correct for row in group) for answers, group in groups.items()}


def _whole(stretch: Stretch, common: set[object]) -> Iterator[Stretch]:
    if len(stretch) > 1:
        yield [(point, {key: row for key, row in asked.items() if key in common}) for point, asked in stretch]


def _shifts(family: str, band: str, stretch: Stretch, alpha: float) -> Iterator[LevelShift]:
    points = [point for point, _ in stretch]
    found = shifts([_count(asked) for _, asked in stretch], alpha)
    ends = [0, *(one.at for one in found), len(stretch)]
    rates = [_rate(stretch[first:last]) for first, last in pairwise(ends)]
    for one, before, after in zip(found, rates, rates[1:], strict=False):
        last, point = points[one.at - 1], points[one.at]
        yield LevelShift(family, band, last, point, before, after, one.p_value, len(points))


def _count(asked: Asked) -> Count:
    """A cluster is one trial."""
    clusters = len({row.cluster or (row.scenario, row.seed, row.item, row.trial) for row in asked.values()})
    return round(clusters * sum(row.correct for row in asked.values()) / len(asked)), clusters


def _rate(stretch: Stretch) -> Rate:
    rows = [row for _, asked in stretch for row in asked.values()]
    return Rate(sum(row.correct for row in rows), len(rows))
