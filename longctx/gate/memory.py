"""The memory of a verdict: the runs of one change are one body of evidence, so that asking again is no new coin.

The first run of a change is judged at alpha, with its looks. A later one is judged on all answers to the same requests,
each item at its mean, at alpha / 10 and without looks (benchmarks/gate/MEMORY.md). A regression stands until such a
pass. A pass ends the body of evidence, as another model that answers or another server does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median_low
from typing import TYPE_CHECKING

from longctx.compare.pairs import Treatments, match_runs, pairs, unmeasured_if_rejudged
from longctx.results import judged_by
from longctx.results.baseline_file import LETTERS
from longctx.results.row import Row
from longctx.results.verdicts import SHORT, JudgedBand, JudgedRun
from longctx.text import count, ordinal
from longctx.vocabulary.point import CREDIT, is_check

if TYPE_CHECKING:
    from longctx.vocabulary.declaration import Protocol

LATER = 10
"""By how much the level of a later run of a change is smaller."""
EARLIER = 1_000_000
"""The repeats of rows that stand for the answers of earlier runs begin here."""
LETTER_OF = {kind: letter for letter, kind in LETTERS.items()}


@dataclass(frozen=True, slots=True)
class SentRow:
    """A measured answer of a run, as later runs know it."""

    row: Row
    band: str
    request: str
    """The first characters of the digest of its trial's first request."""
    answer: str
    """What identifies the answer."""
    before: str
    """The letter of the baseline's first answer."""

    @property
    def place(self) -> tuple[str, str]:
        return self.band, self.request


@dataclass(frozen=True, slots=True)
class Now:
    """What a run is, besides its answers."""

    baseline: str
    subject: str
    server: str
    model_returned: str
    fresh: str = ""
    """Why a new body of evidence begins with it; empty if none does."""


@dataclass(frozen=True, slots=True)
class BodyOfEvidence:
    """The earlier runs of the change that a run is of."""

    runs: Sequence[JudgedRun] = ()
    since: str = ""
    """When the run ended that its evidence begins after, ISO 8601; empty if all of it is known."""
    others: Sequence[JudgedRun] = ()
    """The runs of other versions since the last pass."""
    own: JudgedRun | None = None
    """The line of the run itself, which is replayed; None for a run that was not judged before."""
    fresh: str = ""

    @property
    def regressed(self) -> bool:
        """Whether an earlier run of the change showed a drop."""
        return any(run.verdict == "regression" for run in self.runs)

    @property
    def versions(self) -> int:
        """Which version of the change the run is of, from 1."""
        known: list[set[tuple[str, str]]] = []
        for run in self.others:
            places = set(_places(run))
            if not any(places & each for each in known):
                known.append(places)
        return len(known) + 1


@dataclass(frozen=True, slots=True)
class Memory:
    """What the verdict on a run takes from earlier runs of its change."""

    k: int
    """Which run of the change it is."""
    level: float
    """The level that it is judged at."""
    body: BodyOfEvidence = field(repr=False)
    answers: int
    """The answers that are judged together."""
    requests: int
    """The requests that they answer."""
    accuracies: Sequence[float]
    """The accuracy of each run, of the answers that it was sent."""
    verdict: str
    alone: str
    """The verdict on this run's answers alone."""
    stands: bool = False
    """Whether it is a regression because an earlier run showed one, which no later run ruled out."""
    live: bool = False
    """Whether the run itself was sent answers."""
    known: bool = True
    """Whether verdicts of earlier runs can be known."""

    @property
    def sentences(self) -> list[str]:
        said = []
        if self.k > 1:
            runs = ", ".join(f"{accuracy:.2f}" for accuracy in self.accuracies)
            together = f"{count(self.answers, 'answer')} to {count(self.requests, 'request')}, judged together at"
            said.append(
                f"run {self.k} of this change: {self.verdict} · {together} {100 * self.level:g}%; runs {runs}; "
                f"this run alone: {self.alone}"
            )
            if len(self.body.runs) + 1 < self.k:
                said.append(
                    f"The verdicts of {self.k - 1 - len(self.body.runs):,} earlier runs are not known here, but their "
                    "answers are recorded."
                )
            if self.stands:
                said.append("An earlier run of this change showed a drop, and this one does not rule it out.")
        elif self.live and not self.known:
            said.append("first run known here")
        if self.body.fresh:
            said.append(f"A new body of evidence begins with this run (--ctx-fresh): {self.body.fresh}")
        if (versions := self.body.versions) > 1:
            said.append(f"{ordinal(versions)} version of this change, {len(self.body.others) + self.k:,} live runs")
        return said


def judged_answers(
    before: Sequence[Row],
    after: Sequence[Row],
    first_request: Callable[[Row], str],
    known: Mapping[str, Protocol],
) -> list[SentRow]:
    """Return the answers of a run that a gate judges. first_request: returns the digest of a row's first request."""
    found = []
    for match in match_runs(before, after)[0]:
        rows = match.rows.before, unmeasured_if_rejudged(*match.rows)
        for item in pairs(*rows, Treatments.of(known.get(match.test))).items.values():
            first = next((row for row in item.before if row.measured), None)
            for row in item.after if first else ():
                if row.measured and row.band is not None and first:
                    digest = first_request(row)[:SHORT]
                    found.append(
                        SentRow(row, f"{row.test}, {row.band}", digest, row.answer_id, LETTER_OF[first.outcome])
                    )
    return found


def body_of(sent: Sequence[SentRow], runs: Sequence[JudgedRun], now: Now) -> BodyOfEvidence:
    """Return the body of evidence that a run continues. runs: all that are known, in their order."""
    known = {answer for run in runs for band in run.bands.values() for answer in band.answers}
    current = {each.answer for each in sent}
    own = None
    if current <= known:
        own = max((run for run in runs if not current.isdisjoint(_answers(run))), key=_order, default=None)
        runs = [run for run in runs if own is None or run.order < own.order]
    fresh = own.fresh if own else now.fresh
    if fresh:
        return BodyOfEvidence(own=own, fresh=fresh)
    body: list[JudgedRun] = []
    others: list[JudgedRun] = []
    since = ""
    places = _by_place(sent)
    for run in runs:
        if run.baseline != now.baseline:
            continue
        if not _continues(run, places):
            if run.subject == now.subject:
                others = [] if run.verdict == "pass" else [*others, run]
            continue
        ended = run.verdict == "pass", (run.model_returned, run.server) != (now.model_returned, now.server)
        if run.fresh:
            body, since = [], since or ""
        body.append(run)
        if any(ended):
            body, since = [], run.at
            others = [] if ended[0] else others
    return BodyOfEvidence(body, since, others, own)


def earlier_rows(sent: Sequence[SentRow], body: BodyOfEvidence) -> list[tuple[JudgedRun, Row]]:
    """Return rows for the answers of earlier runs to the same requests, that the run does not have itself."""
    places, used = _by_place(sent), {(each.band, each.answer) for each in sent}
    found: list[tuple[JudgedRun, Row]] = []
    for run in body.runs:
        for name, band in run.bands.items():
            for at, request in enumerate(band.requests):
                same = _same(band, at, places.get((name, request), ()))
                if same is None or (name, band.answers[at]) in used:
                    continue
                used.add((name, band.answers[at]))
                credit = band.credits.get(str(at))
                row = replace(
                    same.row,
                    repeat=EARLIER + len(found),
                    outcome=LETTERS[band.after[at]],
                    trace={} if credit is None else {CREDIT: credit},
                    source=None,
                    answers=None,
                )
                found.append((run, row))
    return found


def runs_by_recordings(sent: Iterable[SentRow], times: Callable[[Row], Collection[str]], since: str) -> int:
    """Return how many runs the recordings of half of the trials are of, at least.

    times: returns when the answers to the first request of a row's trial were recorded. since: those up to then, the
    baseline's, do not count.
    """
    numbers = [sum(at > since for at in times(each.row)) for each in sent if not is_check(each.row.test)]
    return median_low(numbers) if numbers else 0


def bands_of(
    sent: Sequence[SentRow], runs: Sequence[JudgedRun], verdicts: Mapping[str, str], verdict: str
) -> dict[str, JudgedBand]:
    """Return a run's bands for its line in the memory of the gate: only answers that no earlier line has.

    verdicts: the bands' verdicts by name. verdict: the run's, for other bands.
    """
    known = {(name, answer) for run in runs for name, band in run.bands.items() for answer in band.answers}
    by_band: dict[str, list[SentRow]] = defaultdict(list)
    for each in sent:
        if (each.band, each.answer) not in known:
            by_band[each.band].append(each)
    return {
        name: JudgedBand(
            [each.request for each in answers],
            [each.row.judged_by or "" for each in answers],
            [each.answer for each in answers],
            "".join(each.before for each in answers),
            "".join(LETTER_OF[each.row.outcome] for each in answers),
            verdicts.get(name, verdict),
            {str(at): each.row.trace[CREDIT] for at, each in enumerate(answers) if CREDIT in each.row.trace},
        )
        for name, answers in by_band.items()
    }


def accuracies(earlier: Sequence[tuple[JudgedRun, Row]], sent: Sequence[SentRow], body: BodyOfEvidence) -> list[float]:
    """Return the accuracy of each run of a body, as far as its answers count, and of the run itself."""
    by_run = [[row.credit for run, row in earlier if run is each and not is_check(row.test)] for each in body.runs]
    own = [each.row.credit for each in sent if not is_check(each.row.test)]
    return [fmean(credits) for credits in (*by_run, own) if credits]


def _order(run: JudgedRun) -> tuple[str, str]:
    return run.order


def _answers(run: JudgedRun) -> set[str]:
    return {answer for band in run.bands.values() for answer in band.answers}


def _places(run: JudgedRun) -> Iterable[tuple[str, str]]:
    return ((name, request) for name, band in run.bands.items() for request in band.requests)


def _by_place(sent: Sequence[SentRow]) -> Mapping[tuple[str, str], Sequence[SentRow]]:
    places: dict[tuple[str, str], list[SentRow]] = defaultdict(list)
    for each in sent:
        places[each.place].append(each)
    return places


def _continues(run: JudgedRun, places: Mapping[tuple[str, str], Sequence[SentRow]]) -> bool:
    return any(
        _same(band, at, places.get((name, request), ())) is not None
        for name, band in run.bands.items()
        for at, request in enumerate(band.requests)
    )


def _same(band: JudgedBand, at: int, candidates: Sequence[SentRow]) -> SentRow | None:
    """Return the answer to the same request, judged in the same way against the same answer of the baseline."""
    for each in candidates:
        if each.before == band.before[at] and not judged_by.differ(band.judged_by[at], each.row.judged_by):
            return each
    return None
