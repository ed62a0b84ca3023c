"""What two earlier runs tell of a band: its discordance, its intra-cluster correlation and its rate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.compare.match import match_runs
from longctx.compare.pairs import TrialPairs, pairs
from longctx.gate.bands import Clusters
from longctx.gate.evidence import by_band
from longctx.gate.plan import Assumed
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.clusters import design_effect
from longctx.vocabulary.family import is_check


@dataclass(frozen=True, slots=True)
class Seen:
    """One band in two runs."""

    changes: Clusters
    """The changes of the pairs that both runs measured, by cluster."""
    right: float
    """The right answers of both runs, at most 2 n; of trials with several answers, their mean."""

    @property
    def n(self) -> int:
        return sum(map(len, self.changes))

    @property
    def discordance(self) -> float:
        """The share of discordant pairs, with one discordant and one concordant pair added so that it is not 0."""
        return (sum(abs(change) for cluster in self.changes for change in cluster) + 1) / (self.n + 2)

    @property
    def rate(self) -> float:
        """The rate of right answers in both runs, kept between 0 and 1 in the same way."""
        return (self.right + 1) / (2 * self.n + 2)

    @property
    def correlation(self) -> float | None:
        """The intra-cluster correlation of changes, between 0 and 1; None if all trials are independent.

        It is computed from L. Kish's design effect, which is 1 + (size - 1) x correlation.
        """
        size = self.n / len(self.changes)
        return None if size == 1 else min(1.0, (design_effect(self.changes) - 1) / (size - 1))


Where = tuple[str, str]
"""A family and one of its bands."""


def same_recordings(before: Sequence[Row], after: Sequence[Row]) -> list[bool]:
    """Return for each row of the earlier run whether the later run replays the same recordings of its scenario.

    Nothing can change there. The time of a scenario's first recording is compared, which baselines keep. The digest of
    its answers would differ if one run had one more trial, or left one unmeasured.
    """
    first, second = _first_recorded(before), _first_recorded(after)
    same = {recording for recording, at in first.items() if second.get(recording) == at}
    return [_recording(row) in same for row in before]


def _recording(row: Row) -> tuple[object, ...]:
    """Return what identifies the recording that a row's trial belongs to."""
    return (row.model, row.prompt_digest, row.family, row.scenario, row.seed, row.repeat)


def _first_recorded(rows: Sequence[Row]) -> dict[tuple[object, ...], str]:
    first: dict[tuple[object, ...], str] = {}
    for row in rows:
        if row.recorded_at is not None:
            recording = _recording(row)
            first[recording] = min(first.get(recording, row.recorded_at), row.recorded_at)
    return first


def seen(before: Sequence[Row], after: Sequence[Row]) -> dict[tuple[Subject, Where], Seen]:
    """Return what was seen, by the later run's subject and the band; bands without a common trial are left out.

    Raises UserError if it is not clear which subjects to compare.
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


def repeated(rows: Sequence[Row]) -> list[tuple[int, int, Assumed]]:
    """Return the trials and clusters of each band that a gate judges, and what its repeats tell of it.

    Without any repeat the discordance is the cautious guess.
    """
    found = []
    judged = [row for row in rows if row.band is not None and row.measured and not is_check(row.family)]
    for of_band in grouped(judged, lambda row: (row.family, row.subject, row.band)).values():
        trials = grouped(of_band, lambda row: (row.scenario, row.seed, row.item, row.trial))
        clusters = {row.cluster_key for row in of_band}
        guess = Assumed.guess(any((row.params.get("questions") or 1) != 1 for row in of_band))
        rates = [(sum(row.correct for row in answers) / len(answers), len(answers)) for answers in trials.values()]
        differing = [2 * rate * (1 - rate) * n / (n - 1) for rate, n in rates if n > 1]
        if differing:
            guess = replace(guess, discordance=(sum(differing) + 1) / (len(differing) + 2))
        found.append((len(trials), len(clusters), guess))
    return found


def seen_of(seen: Mapping[tuple[Subject, Where], Seen], subject: Subject, where: Where) -> tuple[Seen | None, bool]:
    """Return what was seen of a subject's band and True; or of all other subjects together, or None, and False."""
    if own := seen.get((subject, where)):
        return own, True
    others = [band for (_, place), band in seen.items() if place == where]
    return (_joined(others) if others else None), False


def _joined(parts: Iterable[Seen]) -> Seen:
    bands = list(parts)
    return Seen([cluster for band in bands for cluster in band.changes], sum(band.right for band in bands))


def _right(both: TrialPairs) -> dict[str, float]:
    """Return the right answers of both runs in each band, over the pairs that both measured."""
    right: dict[str, float] = defaultdict(float)
    for rows in both.items.values():
        sides = [[row.credit for row in side if row.measured] for side in rows]
        if all(sides):
            right[str(rows[1][0].band)] += sum(sum(side) / len(side) for side in sides)
    return right
