"""Level shifts: where the rate of a band changed along a track.

The points of a track are compared on the trials that all of them ask. A point that asks too few of them begins a new
stretch. Each run of a baseline of several is a column of the series. A point that replays any answers of an earlier one
is no new evidence and is left out, unless it judges those answers differently. The same trials are paired over all
points, and trials of one cluster change together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from longctx.compare.pairs import by_key
from longctx.history.tracks import Point, Track
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.stats.of_rows import rate_of
from longctx.stats.rates import Rate
from longctx.stats.segments import shifts

COMMON = 0.5
"""The least share of a stretch's trials that a point must ask to belong to it."""

TrialRows = dict[object, Row]
"""The row of each trial."""


@dataclass(frozen=True, slots=True)
class LevelShift:
    """A shift of a band's level at `point`; `last` is the point before it.

    before, after: the rates over the trials that all points of the stretch ask.
    """

    family: str
    band: str
    last: Point
    point: Point
    before: Rate
    after: Rate
    p_value: float


def level_shifts(tracks: Sequence[Track], alpha: float) -> list[LevelShift]:
    """Return the shifts in all tracks and bands; the probability that any is a false alarm is at most alpha."""
    stretches = [
        (track.family, band, stretch) for track in tracks for band in track.bands for stretch in _stretches(track, band)
    ]
    return [
        shift for family, band, stretch in stretches for shift in _shifts(family, band, stretch, alpha / len(stretches))
    ]


Stretch = list[tuple[Point, TrialRows]]


def _stretches(track: Track, band: str) -> Iterator[Stretch]:
    """Yield series of two or more points that can be compared, each point with the trials that all of them ask."""
    stretch: Stretch = []
    common: set[object] = set()
    seen: dict[object, int] = {}
    asked = ((point, rows) for point in track.points for rows in _runs(point.of_band(band)))
    for point, rows in asked:
        trials = _trials(rows)
        judged = _judged(rows)
        replayed = judged.keys() & seen.keys()
        if not trials or (replayed and all(judged[answers] == seen[answers] for answers in replayed)):
            continue
        seen |= judged
        still_common = common & trials.keys()
        if stretch and len(still_common) < COMMON * len(common):
            yield from _on_common_trials(stretch, common)
            stretch, still_common = [], set(trials)
        common = still_common or set(trials)
        stretch.append((point, trials))
    yield from _on_common_trials(stretch, common)


def _runs(rows: Sequence[Row]) -> Iterable[Sequence[Row]]:
    """Return the rows of each run of a point: each repeat of its trials is one."""
    return grouped(rows, lambda row: row.repeat).values()


def _trials(rows: Sequence[Row]) -> TrialRows:
    """Return the measured trials of one run, identified by what they ask and the version of their family."""
    return {(row.version, key[:4]): row for key, row in by_key(rows).items() if row.measured}


def _judged(rows: Sequence[Row]) -> dict[object, int]:
    """Return how many of each scenario's recorded answers are right, by the scenario and the answers' digest."""
    groups = grouped((row for row in rows if row.answers is not None), lambda row: (row.scenario, row.answers))
    return {answers: sum(row.correct for row in group) for answers, group in groups.items()}


def _on_common_trials(stretch: Stretch, common: set[object]) -> Iterator[Stretch]:
    if len({id(point) for point, _ in stretch}) > 1:
        yield [(point, {key: row for key, row in trials.items() if key in common}) for point, trials in stretch]


def _shifts(family: str, band: str, stretch: Stretch, alpha: float) -> Iterator[LevelShift]:
    points = [point for point, _ in stretch]
    at = {_between_points(points, cut.at): cut for cut in shifts(_by_cluster(stretch), alpha)}
    cuts = [replace(at[place], at=place) for place in sorted(at)]
    ends = [0, *(cut.at for cut in cuts), len(stretch)]
    rates = [_rate(stretch[first:last]) for first, last in pairwise(ends)]
    for cut, before, after in zip(cuts, rates, rates[1:], strict=False):
        last, point = points[cut.at - 1], points[cut.at]
        yield LevelShift(family, band, last, point, before, after, cut.p_value)


def _between_points(points: Sequence[Point], at: int) -> int:
    """Return where a cut is put that may lie between two runs of one point: before that point, or after the first."""
    before = next((place for place in range(at, 0, -1) if points[place - 1] is not points[place]), 0)
    return before or next(place for place in range(at, len(points)) if points[place - 1] is not points[place])


def _by_cluster(stretch: Stretch) -> list[list[int]]:
    """Return the correct trials of each cluster (row) at each point (column)."""
    last = stretch[-1][1]  # later rows know their clusters, which earlier baselines did not keep
    clusters = grouped(last, lambda key: last[key].cluster_key).values()
    return [[sum(trials[key].correct for key in keys) for _, trials in stretch] for keys in clusters]


def _rate(stretch: Stretch) -> Rate:
    return rate_of(row for _, trials in stretch for row in trials.values())
