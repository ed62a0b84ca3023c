"""What two earlier runs say of a band: how many pairs change, how its clusters hang together, at what rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from longctx.compare.match import match_runs
from longctx.compare.pairs import Pairs, pairs
from longctx.gate.bands import Clusters
from longctx.gate.evidence import by_band
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.bound import design_effect


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one band. changes: of the pairs that both runs measured, by cluster; right: answers of both, at
    most 2 n."""

    changes: Clusters
    right: int

    @property
    def n(self) -> int:
        return sum(map(len, self.changes))

    @property
    def discordance(self) -> float:
        """The share of pairs that change. With one more seen and one more not, so that 0 seen is not 0 assumed."""
        return (sum(abs(change) for cluster in self.changes for change in cluster) + 1) / (self.n + 2)

    @property
    def rate(self) -> float:
        """The rate of both runs, 0 < rate < 1 for the same reason."""
        return (self.right + 1) / (2 * self.n + 2)

    @property
    def together(self) -> float | None:
        """How much trials of a cluster change together, 0 to 1; None where every trial stands alone.

        The correlation within clusters that L. Kish's design effect, 1 + (size - 1) x correlation, comes from.
        """
        size = self.n / len(self.changes)
        return None if size == 1 else min(1.0, (design_effect(self.changes) - 1) / (size - 1))


Where = tuple[str, str]
"""A family and one of its bands."""


def same_recordings(before: Sequence[Row], after: Sequence[Row]) -> list[bool]:
    """Whether the later run replays the very recordings of a row's scenario, for each row of the earlier run.

    Nothing could change there. A baseline keeps when the first of a scenario was recorded, so that is compared, and not
    its digest of all answers: that differs where one run has a trial more, or left one unmeasured.
    """
    first, second = _first_recorded(before), _first_recorded(after)
    same = {recording for recording, at in first.items() if second.get(recording) == at}
    return [_recording(row) in same for row in before]


def _recording(row: Row) -> tuple[object, ...]:
    """What was recorded together."""
    return (row.model, row.prompt_digest, row.family, row.scenario, row.seed, row.repeat)


def _first_recorded(rows: Sequence[Row]) -> dict[tuple[object, ...], str]:
    first: dict[tuple[object, ...], str] = {}
    for row in rows:
        if row.recorded_at is not None:
            recording = _recording(row)
            first[recording] = min(first.get(recording, row.recorded_at), row.recorded_at)
    return first


def seen(before: Sequence[Row], after: Sequence[Row]) -> dict[tuple[Subject, Where], Seen]:
    """By subject of the later run and band; only bands that both runs measured something of.

    Raises UserError where it is not clear what is compared with what.
    """
    evidence_of: dict[tuple[Subject, Where], Seen] = {}
    matched, _ = match_runs(before, after)
    for match in matched:
        both = pairs(*match.rows)
        right = _right(both)
        for band, evidence in by_band(both).items():
            if evidence.clusters:
                evidence_of[match.after, (match.family, band)] = Seen(evidence.clusters, right[band])
    return evidence_of


def seen_of(seen: Mapping[tuple[Subject, Where], Seen], subject: Subject, where: Where) -> tuple[Seen | None, bool]:
    """What was seen of a subject's band, and whether of itself: else of all others together, else None."""
    if own := seen.get((subject, where)):
        return own, True
    others = [band for (_, place), band in seen.items() if place == where]
    return (_joined(others) if others else None), False


def _joined(parts: Iterable[Seen]) -> Seen:
    bands = list(parts)
    return Seen([cluster for band in bands for cluster in band.changes], sum(band.right for band in bands))


def _right(both: Pairs) -> dict[str, int]:
    """band -> right answers of both runs, of the pairs that both measured."""
    right: dict[str, int] = {}
    for before, after in both.common.values():
        if before.measured and after.measured and after.band is not None:
            right[after.band] = right.get(after.band, 0) + before.correct + after.correct
    return right
