"""The evidence in each band of a test: the changes of its pairs, and how many pairs are missing.

Which look at the evidence each trial belongs to: a function of the seed and the trial, and of no answer.

Every look has its share of each cell. Trials of one cluster belong to one look, in all variants and positions.
"""

from __future__ import annotations

import bisect
import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from longctx.compare.columns import ItemColumns, credit_of
from longctx.compare.pairs import ItemKey, TrialPairs, item_key, match_runs, pairs, unpaired
from longctx.gate.bands import Evidenced, LookEvidence, Tallied
from longctx.gate.cases import Vanished
from longctx.results.grouping import grouped
from longctx.results.request_parts import parts_that_differ
from longctx.results.row import AGREEMENT, EARLY_STOP, STALE, Row, Subject
from longctx.stats.averaged import AnswerPair, Averaged
from longctx.stats.clustered import ByCluster
from longctx.stats.group_sequential import ONCE, Looks, planned
from longctx.stats.labelled import Labelled, RightTwice
from longctx.stats.rates import Rate, design_effect
from longctx.vocabulary.both import Both
from longctx.vocabulary.looks import LooksPlan
from longctx.vocabulary.point import name_of_test

if TYPE_CHECKING:
    from longctx.stats.judge_errors import JudgeErrors

MOST_MISSING = {"test": 0.01, "band": 0.05}
"""The shares of pairs that a run may leave unmeasured."""


@dataclass(slots=True)
class Evidence:
    """The evidence in one band."""

    answers: ByCluster = field(default_factory=ByCluster)
    """The answers to the trials that both runs measured, by cluster."""
    pessimistic_answers: ByCluster = field(default_factory=ByCluster)
    """The answers to all trials that the baseline measured, by cluster: wrong where the run did not measure them."""
    asked: int = 0
    """The run's answers to trials that the baseline measured, and those that it lacks."""
    missing: int = 0
    """How many of `asked` the run did not measure."""
    other: int = 0
    """The trials without a recorded answer of the baseline, or that judge that answer differently."""
    baseline: list[Row] = field(default_factory=list)
    """The baseline's measured rows of all these trials, those that an early stop left out included."""
    pairs: list[Both[Row]] = field(default_factory=list)
    """Each measured answer of the run with one of the baseline's to the same trial."""
    before: list[Row] = field(default_factory=list)
    """The baseline's measured rows of the trials that both measured."""
    right_twice: int = 0
    """The trials that a judge calls right in both runs, where people labelled a sample of them; else 0."""
    sampled: ByCluster = field(default_factory=ByCluster)
    """The labels of that sample, by cluster."""
    run: list[Row] | None = None
    """The run's rows of a band whose items are not those of the baseline, so that nothing is paired; None elsewhere."""

    @property
    def same_answers(self) -> bool:
        """Whether the run replayed the baseline's own answers and judged them the same, so that nothing has changed."""
        return self.asked > 0 and not self.missing and not self.other

    @property
    def sides(self) -> Both[list[Row]]:
        """The rows of baseline and run that the band is judged by."""
        if self.run is not None:
            return Both(self.baseline, [row for row in self.run if row.measured])
        return Both(self.before, [pair.after for pair in self.pairs])

    @property
    def judged(self) -> Evidenced:
        """The evidence that judges the band."""
        return self._labelled(self.answers) if self.run is None else unpaired(*self.sides)

    @property
    def at_worst(self) -> Evidenced:
        """The evidence that would judge the band if all trials that the run did not measure were wrong."""
        return self._labelled(self.pessimistic_answers) if self.run is None else unpaired(self.baseline, self.run)

    @property
    def sample(self) -> RightTwice | None:
        """The trials that a judge calls right twice, with the labels of a sample; None if people labelled none."""
        return RightTwice(self.right_twice, self.sampled.averaged) if self.right_twice else None

    def _labelled(self, answers: ByCluster) -> Averaged | Labelled:
        known = answers.averaged
        return Labelled(known, [self.sample]) if self.sample else known

    @property
    def clusters(self) -> list[list[float]]:
        """The changes of the trials that both runs measured."""
        return self.answers.averaged.changes

    def add(self, items: ItemColumns) -> None:
        """Add the answers to trials that the baseline measured."""
        asked, measured = (sum(map(len, rows)) for rows in (items.after, items.measured))
        self.asked += asked
        self.missing += asked - measured
        self.other += asked - sum(_same_answers(items.before, items.after))
        names = [name for name, credits in zip(items.clusters, items.credits, strict=True) if credits]
        self.answers.add_each(names, filter(None, items.credits))
        rows = items.before, items.after, items.measured
        of_all = []
        for before, after, answered, credits in zip(*rows, items.credits, strict=True):
            if credits:
                self.before += before
                self.pairs += map(Both, before if len(before) >= len(answered) else itertools.cycle(before), answered)
            whole = credits if credits and len(answered) == len(after) else (credit_of(before), credit_of(after))
            of_all.append(whole)
        self.pessimistic_answers.add_each(items.clusters, of_all)

    def add_right_twice(self, cluster: object, labels: AnswerPair | None) -> None:
        """Note that a judge calls a trial right in both runs. labels: those of its answers, if it has some."""
        self.right_twice += 1
        if labels:
            self.sampled.add(cluster, labels)

    def lack(self, trial: Vanished) -> None:
        """Add a trial that the run lacks."""
        self.asked += trial.answers
        self.missing += trial.answers
        self.other += trial.answers
        self.baseline += trial.before
        self.pessimistic_answers.add(trial.before[0].cluster_key, (credit_of(trial.before), (0.0,) * trial.answers))

    def add_samples(self, before: Sequence[Row], after: Sequence[Row]) -> None:
        """Add the trials of two cells about different items. before: measured ones."""
        asked = [row for row in after if row.error != EARLY_STOP]
        self.asked += len(asked)
        self.other += len(asked)
        self.missing += sum(not row.measured for row in asked)
        self.baseline += before
        self.run = [*(self.run or ()), *asked]


def by_band(pairs: TrialPairs, gone: Sequence[Vanished] = ()) -> dict[str, Evidence]:
    """Return the evidence in each band of the run. Bands of the baseline that the run lacks have no evidence.

    Trials that an early stop left out count neither as asked nor as missing. gone: the trials that the run lacks.
    """
    bands: dict[str, Evidence] = {}
    items = pairs.columns
    for name, places in items.by_band().items():
        evidence = bands[name] = Evidence(baseline=[row for place in places for row in items.before[place]])
        evidence.add(items.at(_asked(items, places)))
    _add_unpaired(bands, pairs, gone)
    return bands


def _add_unpaired(bands: dict[str, Evidence], pairs: TrialPairs, gone: Sequence[Vanished]) -> None:
    """Add what is not paired to the evidence in bands. gone: the trials that the run lacks."""
    for trial in gone:
        bands.setdefault(trial.band, Evidence()).lack(trial)
    for cells in pairs.unpaired:
        for band, rows in grouped(cells.rows.after, lambda row: row.band).items():
            if band is not None:
                evidence = bands.setdefault(f"{band}, {cells}", Evidence(run=[]))
                evidence.add_samples([row for row in cells.rows.before if row.measured], rows)
    for row in _only_before(pairs):
        if row.band is not None and row.measured:
            bands.setdefault(row.band, Evidence())


@dataclass(slots=True)
class EvidenceByLook:
    """The evidence in one band at each planned look, which holds that of the looks before."""

    planned: Looks
    evidence: list[Evidence]
    complete: int
    """How many looks are complete: an early stop left no trial of them out."""
    errors: Sequence[JudgeErrors | None] = ()
    """The judge's error rates by the labels up to each look; None if they are not known."""

    def at(self, look: int | None) -> Evidence:
        """Return the evidence at a look, from 1; None for the last."""
        return self.evidence[-1 if look is None else max(0, look - 1)]

    @property
    def at_looks(self) -> list[LookEvidence]:
        return [
            LookEvidence(
                at.judged,
                at.at_worst,
                # Replayed answers of the baseline itself say nothing of those that are not looked at yet.
                can_settle=not at.same_answers and at.missing <= MOST_MISSING["test"] * at.asked,
                answers=Tallied(at.answers, at.pessimistic_answers) if at.run is None else None,
                errors=self.errors[index] if self.errors else None,
                right_twice=at.sample,
            )
            for index, at in enumerate(self.evidence[: self.complete])
        ]


def by_look(
    pairs: TrialPairs,
    plan: LooksPlan,
    terms: tuple[float, float],
    rows: Sequence[Row] | None = None,
    gone: Sequence[Vanished] = (),
    right_twice: Mapping[ItemKey, AnswerPair | None] | None = None,
) -> dict[str, EvidenceByLook]:
    """Return the evidence in each band as `by_band` does, at each look.

    terms: the gate's margin and alpha.
    rows: those of the trials that are looked at, where these are checks of trials; by default the run's own.
    gone: the trials that the run lacks; each counts from the look on that it would belong to in the baseline.
    right_twice: the trials that a judge calls right twice, with their labels (gate/labels.py); None without labels.
    """
    trials = list(pairs.after.values()) if rows is None else rows
    looks = looks_of_rows(trials, plan, *terms)
    complete: dict[str, int] = {}
    for row in trials:
        if row.error == EARLY_STOP and row.band is not None:
            look = looks[row.band].look(row)
            complete[row.band] = min(complete.get(row.band, look), look - 1)
    bands: dict[str, EvidenceByLook] = {}
    items = pairs.columns
    for name, places in items.by_band().items():
        baseline = [row for place in places for row in items.before[place]]
        planned, asked = looks[name].looks, _asked(items, places)
        looks_of_asked = [looks[name].look(items.after[place][0]) for place in asked]
        at_looks = [Evidence(baseline=[*baseline]) for _ in range(planned.number)]
        bands[name] = EvidenceByLook(planned, at_looks, min(planned.number, complete.get(name, planned.number)))
        for index, at_look in enumerate(at_looks, start=1):
            seen = [place for place, look in zip(asked, looks_of_asked, strict=True) if look <= index]
            at_look.add(items.at(seen))
            for place in seen if right_twice else ():
                if right_twice and (key := item_key(items.after[place][0])) in right_twice:
                    at_look.add_right_twice(items.clusters[place], right_twice[key])
    looks_before = looks_of_rows(pairs.before.values(), plan, *terms) if gone else {}
    for trial in gone:
        if trial.band in bands:
            row = trial.before[0]
            first = looks_before[row.band].look(row) if row.band is not None else 1
            for evidence in bands[trial.band].evidence[first - 1 :]:
                evidence.lack(trial)
    others: dict[str, Evidence] = {}
    _add_unpaired(others, pairs, [trial for trial in gone if trial.band not in bands])
    for name, evidence in others.items():
        if name not in bands:  # nothing is paired there, which is looked at once
            stopped = any(
                row.error == EARLY_STOP for row in pairs.after.values() if row.band == name.partition(", ")[0]
            )
            bands[name] = EvidenceByLook(ONCE, [evidence], 0 if stopped and evidence.run is not None else 1)
    return bands


def judge_errors(
    test: str, of_function: Sequence[Row], trials: Sequence[Row], plan: LooksPlan, terms: tuple[float, float]
) -> list[JudgeErrors | None]:
    """Return the errors of the judge of a test at each look.

    They are those of the labels known then, so that an early stop and a replay of it come to the same verdict.
    of_function: the rows of a function and its checks. trials, plan, terms: see `by_look`.
    """
    if not any(row.test.endswith(f".{AGREEMENT}") for row in of_function):
        return []
    from longctx.compare.judges import errors_of

    looks = looks_of_rows(trials, plan, *terms)
    look_of_trial = {item_key(row): looks[row.band].look(row) for row in trials if row.band is not None}
    most = max(look_of_trial.values(), default=0)
    return [
        errors_of(test, [row for row in of_function if look_of_trial.get(item_key(row), 0) <= look])
        for look in range(1, most + 1)
    ]


@dataclass(frozen=True, slots=True)
class Together:
    """A cluster of trials, those about one document say, of which many were lost, or gained, together."""

    cluster: str
    before: Rate
    after: Rate

    @property
    def lost(self) -> float:
        """How much its accuracy fell, a share of its trials; negative if it rose."""
        return self.before.rate - self.after.rate


def has_clusters(bands: Iterable[Evidence]) -> bool:
    """Return whether any trial of these bands belongs to its own cluster name."""
    return any(isinstance(name, str) for evidence in bands for name in evidence.answers.names)


def changed_together(bands: Iterable[Evidence], tests: int = 1) -> tuple[list[Together], list[Together]]:
    """Return the clusters of a test of which more was lost together than chance explains, and more gained.

    The one that changed most comes first. tests: how many of the run have clusters.
    """
    bands = list(bands)
    if not has_clusters(bands):
        return [], []
    from longctx.stats.concentrated import Changed, together

    answers: dict[str, list[AnswerPair]] = defaultdict(list)
    trials: list[Changed] = []
    numbers: dict[str, int] = {}
    for stratum, evidence in enumerate(bands):
        for name, (before, after) in zip(evidence.answers.names, evidence.answers.answers, strict=True):
            if isinstance(name, str):
                answers[name].append((before, after))
                was, now = sum(before) / len(before), sum(after) / len(after)
                trials.append(Changed(numbers.setdefault(name, len(numbers)), stratum, was, now - was))
    names = list(numbers)

    def rates(number: int) -> Together:
        cluster = answers[names[number]]
        was = [answer for before, _ in cluster for answer in before]
        now = [answer for _, after in cluster for answer in after]
        return Together(names[number], Rate(sum(was), len(was)), Rate(sum(now), len(now)))

    lost, gained = (
        sorted(map(rates, numbers), key=lambda each: (-abs(each.lost) * each.after.n, each.cluster))
        for numbers in together(trials, tests)
    )
    return lost, gained


def _asked(items: ItemColumns, places: Sequence[int]) -> list[int]:
    """Return the places of the trials that no early stop left out."""
    after, measured = items.after, items.measured
    return [
        place
        for place in places
        if len(measured[place]) == len(after[place]) or all(row.error != EARLY_STOP for row in after[place])
    ]


def evidence_of_all_bands(bands: Mapping[tuple[str, str], Evidence]) -> Evidence:
    """Return the evidence in several bands of paired trials, given by test and name, as if they were one.

    Clusters that have their own name may extend over several.
    """
    together = Evidence()
    for (test, _), evidence in bands.items():
        together.answers.extend(evidence.answers, name_of_test(test))
        together.before += evidence.before
        together.pairs += evidence.pairs
    return together


def _same_answers(before: Iterable[Sequence[Row]], after: Iterable[Sequence[Row]]) -> Iterator[int]:
    """Yield how many of the run's answers to each trial are the baseline's own, judged the same."""
    for earlier, later in zip(before, after, strict=True):
        if recorded := [row for row in earlier if row.answers is not None]:
            yield sum(any(same_answer(each, row) for each in recorded) for row in later)


def same_answer(before: Row, after: Row) -> bool:
    """Return whether both rows rest on the same recorded answer, and judge it the same."""
    return before.answers is not None and before.answers == after.answers and before.credit == after.credit


@dataclass(frozen=True, slots=True)
class Requests:
    """How the requests of two runs compare, trial by trial."""

    compared: int = 0
    differ: int = 0
    unknown: int = 0
    """The requests of which the baseline keeps no digest, so that they are not compared."""
    parts: Mapping[str, int] = field(default_factory=dict)
    """In how many of those that differ each part does; empty if that is not known of all of them."""
    stale: int = 0
    """The trials of the run that are recorded for another request only."""
    stale_parts: Mapping[str, int] = field(default_factory=dict)
    """In how many of those each part differs from the recorded one."""
    absent: int = 0
    """The other trials that the run did not measure, and whose requests are not compared."""

    @classmethod
    def of(cls, pairs: Iterable[Both[Row]], common: Iterable[Both[Row]] = ()) -> Requests:
        """Compare the requests of measured pairs. common: all trials in common, measured or not."""
        of_pairs = [(pair, _same_request(*pair)) for pair in pairs]
        same = Counter(found for _, found in of_pairs)
        differ = [
            parts_that_differ(*pair.map(attrgetter("request_parts"))) for pair, found in of_pairs if found is False
        ]
        missing = [after for _, after in common if not after.measured and after.error != EARLY_STOP]
        stale = [row.trace for row in missing if row.error == STALE]
        return cls(
            same[True] + same[False],
            same[False],
            same[None],
            _in_how_many(differ),
            len(stale),
            _in_how_many(stale),
            len(missing) - len(stale),
        )


def _in_how_many(differ: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return in how many requests each part differs; empty unless it is known of all of them what does."""
    if not all(any(parts.values()) for parts in differ):
        return {}
    return {name: sum(parts.get(name, 0) for parts in differ) for name in dict.fromkeys(n for p in differ for n in p)}


def _same_request(before: Row, after: Row) -> bool | None:
    """Return whether two rows were sent the same request; None if that is not known."""
    if same_answer(before, after):
        return True
    was, now = before.prompt_sha256, after.prompt_sha256
    return now.startswith(was) or was.startswith(now) if was and now else None


def with_bands_of(before: Sequence[Row], after: Sequence[Row]) -> list[Row]:
    """Return the rows of a run in the bands of the baseline's rows of the same cell, or in none as these are.

    So a run cannot change what it is judged on. A cell that the baseline lacks keeps its own band.
    """
    bands: dict[tuple[str, ...], str | None] = {}
    for row in before:
        bands[row.test, row.cell] = bands[row.test, row.cell, row.model] = row.band

    def band(row: Row) -> str | None:
        cell = row.test, row.cell
        return bands.get((*cell, row.model), bands.get(cell, row.band))

    return [replace(row, band=band(row)) for row in after]


def _only_before(pairs: TrialPairs) -> Iterable[Row]:
    compared = {cells.before for cells in pairs.across}
    return (trial for key, trial in pairs.before.items() if key not in pairs.after and trial.cell not in compared)


@dataclass(frozen=True, slots=True)
class Unit:
    """The trials that stay in the same look: a cluster, or a trial with its repeats."""

    cell: str
    """The slug of its cell; empty for a cluster, which may extend over several."""
    seed: int
    name: str

    @classmethod
    def of_row(cls, row: Row) -> Unit:
        return cls.of(row.cell, row.seed, row.cluster, row.trial, row.item)

    @classmethod
    def of(cls, cell: str, seed: int, cluster: str | None, trial: int, item: str | None) -> Unit:
        return cls(cell, seed, f"{item or ''}/{trial}") if cluster is None else cls("", seed, cluster)

    @property
    def clustered(self) -> bool:
        """Whether it is a cluster, which may have several trials."""
        return not self.cell

    @property
    def order(self) -> int:
        """The random number by which units are ordered."""
        name = "/".join(("looks", str(self.seed), self.cell, self.name))
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])


@dataclass(frozen=True, slots=True)
class LookOfUnit:
    """The looks at a band: the number, from 1, of the look that each unit belongs to."""

    looks: Looks
    of: Mapping[Unit, int]

    def look(self, row: Row) -> int:
        """Return the look that a row's trial belongs to."""
        return 1 if self.looks.number == 1 else self.of[Unit.of_row(row)]


def in_looks(units: Iterable[Unit], plan: LooksPlan, margin: float, alpha: float) -> LookOfUnit:
    """Divide a band into looks. units: of each of its trials."""
    strata: dict[str, dict[Unit, int]] = defaultdict(dict)
    trials = 0
    for unit in units:
        trials += unit.clustered or unit not in strata[unit.cell]
        if unit not in strata[unit.cell]:
            strata[unit.cell][unit] = unit.order
    places = {
        unit: ((place + lots[unit] / 2**64) / len(lots), unit.cell)
        for lots in strata.values()
        for place, unit in enumerate(sorted(lots, key=lots.__getitem__))
    }
    looks = planned(plan, len(places), trials, margin, alpha)
    ends = looks.ends(len(places))
    ordered = enumerate(sorted(places, key=places.__getitem__))
    return LookOfUnit(looks, {unit: 1 + bisect.bisect_right(ends, place) for place, unit in ordered})


def looks_of_rows(rows: Iterable[Row], plan: LooksPlan, margin: float, alpha: float) -> dict[str, LookOfUnit]:
    """Return the looks of each band. rows: all of one test and subject."""
    if plan == "once":  # no trial needs to be ordered
        return {band: LookOfUnit(ONCE, {}) for row in rows if (band := row.band) is not None}
    bands = grouped(rows, lambda row: row.band)
    units = {band: [*map(Unit.of_row, members)] for band, members in bands.items() if band is not None}
    return {band: in_looks(members, plan, margin, alpha) for band, members in units.items()}


@dataclass(frozen=True, slots=True)
class Seen:
    """One band in two runs."""

    changes: Sequence[Sequence[float]]
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
        """The accuracy over both runs, kept between 0 and 1 in the same way."""
        return (self.right + 1) / (2 * self.n + 2)

    @property
    def correlation(self) -> float | None:
        """The intra-cluster correlation of changes, between 0 and 1; None if all trials are independent.

        It is computed from L. Kish's design effect, which is 1 + (size - 1) x correlation.
        """
        size = self.n / len(self.changes)
        return None if size == 1 else min(1.0, (design_effect(self.changes) - 1) / (size - 1))


Where = tuple[str, str]
"""A test and one of its bands."""


def same_recordings(before: Sequence[Row], after: Sequence[Row]) -> list[bool]:
    """Return for each row of the earlier run whether the later run replays the same recordings of its cell.

    Nothing can change there. The time of a cell's first recording is compared, which baselines keep. The digest of
    its answers would differ if one run had one more trial, or left one unmeasured.
    """
    first, second = _first_recorded(before), _first_recorded(after)
    same = {recording for recording, at in first.items() if second.get(recording) == at}
    return [_recording(row) in same for row in before]


def _recording(row: Row) -> tuple[object, ...]:
    """Return what identifies the recording that a row's trial belongs to."""
    return (row.model, row.prompt_digest, row.test, row.cell, row.seed, row.repeat)


def _first_recorded(rows: Sequence[Row]) -> dict[tuple[object, ...], str]:
    first: dict[tuple[object, ...], str] = {}
    for row in rows:
        if row.recorded_at is not None:
            recording = _recording(row)
            first[recording] = min(first.get(recording, row.recorded_at), row.recorded_at)
    return first


def seen_by_band(before: Sequence[Row], after: Sequence[Row]) -> dict[tuple[Subject, Where], Seen]:
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
                evidence_of[match.after, (match.test, band)] = Seen(evidence.clusters, right[band])
    return evidence_of


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
    for band, credits in zip(both.columns.bands, both.columns.credits, strict=True):
        if credits:
            right[str(band)] += sum(sum(side) / len(side) for side in credits)
    return right
