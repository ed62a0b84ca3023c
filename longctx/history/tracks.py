"""A track: a family of one subject through the kept runs, continued by the subjects that replaced it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from longctx.compare.match import match
from longctx.errors import UserError
from longctx.gate.changed import changed
from longctx.gate.validity import AgeLimit
from longctx.gate.verdict import FamilyVerdict, Rules, give_verdict
from longctx.results.baseline import Baseline
from longctx.results.grouping import by_family
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.vocabulary.family import Family


@dataclass(frozen=True, slots=True)
class Point:
    """A track in one kept run.

    verdict: the gate's, against the point before; None at the first point, or if the two have no trials in common.
    changed: what differs from the point before, a sentence each.
    """

    kept: Baseline
    subject: Subject
    rows: Sequence[Row]
    verdict: FamilyVerdict | None = None
    changed: Sequence[str] = ()

    @property
    def date(self) -> str:
        return self.kept.manifest.finished_at[:10]

    def of_band(self, name: str) -> list[Row]:
        return [row for row in self.rows if row.band == name]

    def verdict_of(self, band: str) -> str:
        """Return the verdict of a band; empty if there is none."""
        if self.verdict is None:
            return ""
        if self.verdict.reasons:
            return "invalid"
        return next((band_verdict.verdict for band_verdict in self.verdict.bands if band_verdict.band.name == band), "")


@dataclass(slots=True)
class Track:
    family: str
    points: list[Point] = field(default_factory=list)

    @property
    def bands(self) -> list[str]:
        """The bands of all points, in the order in which the runs name them."""
        return list(dict.fromkeys(row.band for point in self.points for row in point.rows if row.band is not None))

    @property
    def subjects(self) -> list[Subject]:
        return list(dict.fromkeys(point.subject for point in self.points))


def tracks(kept: Sequence[Baseline], rules: Rules, known: Mapping[str, Family]) -> list[Track]:
    """Return the tracks of these runs, which are given in the order of their dates. known: the families, by name."""
    tracks: list[Track] = []
    for run in kept:
        for family, subjects in by_family(run.rows, known).items():
            own = {track.points[-1].subject: track for track in tracks if track.family == family}
            before = _continued(family, tuple(own), tuple(subjects))
            for subject, rows in subjects.items():
                track = own[before[subject]] if subject in before else Track(family)
                if not track.points:
                    tracks.append(track)
                track.points.append(
                    _point(track.points[-1] if track.points else None, run, subject, rows, rules, known)
                )
    return sorted(tracks, key=lambda track: list(known).index(track.family) if track.family in known else len(known))


def _continued(family: str, before: tuple[Subject, ...], after: tuple[Subject, ...]) -> dict[Subject, Subject]:
    """Return the earlier subject that each continues, matched as in a comparison, or by name if that is ambiguous."""
    try:
        return {new: old for old, new in match(family, before, after)}
    except UserError:
        return {subject: subject for subject in after if subject in before}


def _point(
    last: Point | None,
    kept: Baseline,
    subject: Subject,
    rows: Sequence[Row],
    rules: Rules,
    known: Mapping[str, Family],
) -> Point:
    if last is None:
        return Point(kept, subject, rows)
    manifest = kept.manifest
    age = AgeLimit(manifest.finished_at, rules.age.most_days)
    at_the_time = Rules(rules.margin, rules.alpha, age)
    gate = give_verdict(last.rows, rows, at_the_time, known)
    differences = changed((last.kept.manifest, last.rows), (manifest, rows), gate)
    verdict = gate.families[0] if gate.families and gate.families[0].asked else None
    return Point(kept, subject, rows, verdict, differences)
