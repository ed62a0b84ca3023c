"""The verdict on a run against its baseline: one for each test, and one for the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from longctx.compare.pairs import (
    Across,
    Matched,
    Treatments,
    TrialPairs,
    by_cell,
    item_key,
    match_runs,
    pairs,
    unmeasured_if_rejudged,
)
from longctx.errors import UserError
from longctx.gate.bands import (
    Band,
    BandLooks,
    BandVerdict,
    Tallied,
    Verdict,
    interval,
    judge_in_looks,
    judge_run,
    margin_of_run,
    overall,
)
from longctx.gate.cases import Retired, Vanished, added, vanished, without_retired
from longctx.gate.coverage import cells_not_judged
from longctx.gate.evidence import (
    Evidence,
    EvidenceByLook,
    Requests,
    Together,
    by_look,
    changed_together,
    evidence_of_all_bands,
    has_clusters,
    judge_errors,
    with_bands_of,
)
from longctx.gate.nothing_to_lose import nothing_to_lose
from longctx.gate.rules import ALPHA, MARGIN
from longctx.gate.usage import GrowthLimit, GrowthLimits, RowPair, Usage, UsageChange
from longctx.gate.validity import NONE_GATED, unmeasured, why_run_is_invalid
from longctx.results.constant import guessing_of
from longctx.results.judged_by import OTHER_EXPECTED, OTHER_JUDGE
from longctx.results.row import AGREEMENT, EARLY_STOP, GRADED, Row, Subject
from longctx.stats.averaged import Averaged
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate, holm, rate_of
from longctx.text import count
from longctx.vocabulary.both import Both
from longctx.vocabulary.looks import AT_ONCE, RunLooks
from longctx.vocabulary.point import is_check, name_of_test

if TYPE_CHECKING:
    from longctx.compare.judges import GradedTest
    from longctx.gate.labels import RightTwiceOf
    from longctx.gate.memory import Memory
    from longctx.gate.recording_age import AgeLimit
    from longctx.results.labels import Labels
    from longctx.stats.judge_errors import JudgeErrors
    from longctx.views.reporting import Reports
    from longctx.vocabulary.declaration import Protocol
    from longctx.vocabulary.grid import Axes
    from longctx.vocabulary.report import Reported, StatedMinimum


@dataclass(frozen=True, slots=True)
class Rules:
    """The terms of a verdict."""

    margin: float = MARGIN
    """The non-inferiority margin, a share of trials."""
    alpha: float = ALPHA
    """The probability of a false alarm in the whole run."""
    next_alpha: float | None = None
    """The alpha of the change's next run, which is judged together with this one; None if no run is."""
    age: AgeLimit | None = None
    """How old recordings of a changed model may be; None if they may have any age."""
    left_out: int = 0
    """The number of the grid's cells that the run left out."""
    cells: int = 0
    """The number of the grid's cells; 0 if it is not known."""
    empty: int = 0
    """The number of cells without a question."""
    grids: Mapping[tuple[str, str], Sequence[Axes]] = field(default_factory=dict)
    """The profile's tables of each (test, model)."""
    looks: RunLooks = AT_ONCE
    """The plans by which the evidence in a band is looked at."""
    bands_elsewhere: int = 0
    """The number of bands that are judged, too, and of which no evidence is given here."""
    other_hypotheses: int = 0
    """The number of hypotheses of another comparison of the same run, which Holm's correction counts as not shown."""
    unanswered: str = ""
    """A sentence on a server with a name of which the run has no answer."""
    missing: Sequence[str] = ()
    """A sentence on each shard of the grid that is missing."""
    unjudged: Sequence[str] = ()
    """A sentence on each test that the base branch's test code has and cannot judge."""
    limits: GrowthLimits = field(default_factory=GrowthLimits)
    """The growth of price and latency that the profile allows."""
    repriced: tuple[str, ...] = ()
    """The models whose prices in the run are not those of the baseline."""
    of_base: bool = False
    """Whether the baseline states what is judged in which band, as it does where a base branch is given."""
    other_profile: bool = False
    """Whether the person chose another profile than the baseline's, so that the run may judge a part of it."""
    run_margin: float | None = None
    """The margin of all bands together, if stated: the whole run must then pass, too. None: `bands.RUN_MARGIN`."""
    subset: bool = False
    """Whether the run may lack trials of the baseline on purpose, as the baseline's anchor may have retired ones."""
    retired: Retired = field(default_factory=Retired)
    """The cases that the project has retired."""
    reports: Reports = field(default_factory=dict)
    """The reports of test functions, whose hooks add to the gate as those of protocols do."""
    labels: Labels | None = None
    """What people say of answers that a judge graded; None without labels."""

    @property
    def margin_of_run(self) -> float:
        return margin_of_run(self.margin, self.run_margin)

    @property
    def is_part(self) -> bool:
        """Whether the run may lack trials of the baseline."""
        return self.subset or self.other_profile or bool(self.left_out or self.missing)


@dataclass(frozen=True, slots=True)
class BandChange:
    """What changed in one band, on the pairs that both runs measured: rates, their difference, price and latency.

    Where items do not correspond, it is on all trials of both runs.
    """

    before: Rate
    after: Rate
    interval: tuple[float, float]
    """The 95% interval of the difference, which respects clusters."""
    usage: Both[Usage]
    tokens: tuple[int, int] | None = None
    """The fewest and the most tokens that either run sent in a trial; None if that is not known of all."""

    @classmethod
    def of(cls, evidence: Evidence) -> BandChange:
        before, after = evidence.sides.map(rate_of)
        return cls(before, after, interval(evidence.judged), evidence.sides.map(Usage.of), _tokens(evidence))


def _tokens(evidence: Evidence) -> tuple[int, int] | None:
    known: list[int] = []
    for row in chain(*evidence.sides):
        if row.input_tokens is None:
            return None
        known.append(row.input_tokens)
    return (min(known), max(known)) if known else None


@dataclass(frozen=True, slots=True)
class VerdictOfTest:
    """The verdict on one test of one subject."""

    test: str
    before: Subject
    after: Subject
    verdict: Verdict
    bands: tuple[BandVerdict, ...]
    reported: tuple[Reported, ...]
    """What the test reports besides its bands."""
    missed: tuple[Reported, ...]
    """The reported numbers that miss their stated minimum."""
    reasons: tuple[str, ...]
    """A sentence on each reason why not enough of it was measured."""
    asked: int
    """The trials that the baseline measured."""
    missing: int
    """How many of `asked` the run did not measure or does not have."""
    in_common: int
    """The trials that both have, measured or not."""
    alone: Both[int]
    """The trials that only the baseline, and only the run, has."""
    mismatched: int
    """How many trials share a key but ask different questions."""
    cells: tuple[tuple[str, Paired | Averaged], ...] = ()
    """The paired difference of each by its name; it fails no gate."""
    changes: tuple[BandChange, ...] = ()
    """What changed in each band, in their order."""
    across: tuple[Across, ...] = ()
    """The cells that differ in a parameter from those that they are compared with."""
    evidence: tuple[Evidence, ...] = ()
    """The evidence in its bands, at the looks that their verdicts are of."""
    clustered: int = 1
    """How many tests of the run have clusters."""
    lost: tuple[RowPair, ...] = ()
    """The trials that the baseline answered rightly and the run, which was measured, did not."""
    requests: Requests = field(default_factory=Requests)
    """How the requests of its pairs compare."""
    vanished: tuple[Vanished, ...] = ()
    """The trials of the baseline that the run lacks."""
    added: tuple[Row, ...] = ()
    """The trials of the run about items that the baseline lacks; they are not compared."""

    @property
    def together(self) -> tuple[list[Together], list[Together]]:
        """The clusters, such as documents, that lost, and that gained, more together than chance explains.

        They raise no alarm.
        """
        return changed_together(self.evidence, self.clustered)


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The verdict on a run."""

    verdict: Verdict
    rules: Rules = field(repr=False)
    tests: tuple[VerdictOfTest, ...] = field(repr=False)
    reasons: tuple[str, ...]
    """A sentence on each reason why the whole run is invalid."""
    unmatched: Both[tuple[tuple[str, Subject], ...]] = field(repr=False)
    """The (test, subject) that only the baseline, and only the run, has."""
    trials: int = 0
    """All trials of the run."""
    not_asked: int = 0
    """The trials that an early stop left out."""
    not_gated: tuple[tuple[str, Subject], ...] = ()
    """The (test, subject) that the profile leaves out of the gate."""
    cells_not_gated: int = 0
    """The cells of the run that no band judges."""
    usage: UsageChange | None = field(default=None, repr=False)
    """Price, tokens and latency of the pairs that both runs measured; None without a pair."""
    limits: tuple[GrowthLimit, ...] = ()
    """The stated limits of growth, and what the run shows of each."""
    run: BandVerdict | None = field(default=None, repr=False)
    """The verdict on all bands together. If no margin is stated of them, it is a regression or decides nothing, and
    None with a single band."""
    run_change: BandChange | None = field(default=None, repr=False)
    """What changed in all bands together, if a margin is stated of them."""
    uncovered: tuple[str, ...] = ()
    """Sentences on what the baseline judges and this run, of another profile, does not."""
    baseline_runs: int = 1
    """How many answers the baseline has to a trial, at the most."""
    anchor: RunVerdict | None = None
    """The verdict against the baseline's anchor, of which only a regression counts; None without an anchor."""
    since: str = ""
    """When the anchor was saved, ISO 8601."""
    graded: tuple[GradedTest, ...] = ()
    """The run's test functions that a judge grades."""
    labelled: tuple[tuple[str, Subject], ...] = ()
    """The (test, subject) of which people labelled the answers that tell most."""
    retired: Mapping[str, str] = field(default_factory=dict)
    """The reasons why cases of the baseline were retired, by trial."""
    rejudged: tuple[str, ...] = ()
    """Phrases on the cases that something else judges than in the baseline; their trials are not measured."""
    memory: Memory | None = field(default=None, repr=False)
    """What the verdict takes from earlier runs of its change; None where none is looked for."""

    @property
    def is_no_verdict(self) -> bool:
        """Whether the run as a whole is invalid, so that no band has a verdict, such as one of which cells were left
        out."""
        own = any(test.reasons or band.verdict == "invalid" for test in self.tests for band in test.bands)
        return self.verdict == "invalid" and bool(self.reasons) and not own

    @property
    def improved(self) -> bool:
        """Whether the run passes and a gain is shown in a band."""
        return self.verdict == "pass" and any(band.improved for test in self.tests for band in test.bands)

    @property
    def shown_after(self) -> str:
        """A sentence, without its full stop, on how many trials an early stop took."""
        asked = self.trials - self.not_asked
        return f"{self.verdict} after {asked:,} of {self.trials:,} trials, {self.not_asked:,} not sent"

    @property
    def regressed(self) -> tuple[BandVerdict, ...]:
        """The bands that regressed; the run if it alone did."""
        bands = tuple(band for band in self.bands if band.verdict == "regression")
        return bands or ((self.run,) if self.run and self.run.verdict == "regression" else ())

    def with_anchor(self, anchor: RunVerdict, since: str) -> RunVerdict:
        """Return the verdict that counts a regression against the anchor, too."""
        fell = anchor.regressed and anchor.verdict != "invalid" and self.verdict != "invalid"
        return replace(self, verdict="regression" if fell else self.verdict, anchor=anchor, since=since)

    def after(self, alone: RunVerdict, memory: Memory) -> RunVerdict:
        """Return this verdict, on all answers of a change, with what concerns the run `alone` as it is.

        A regression that an earlier run showed stands until a later one rules it out.
        """
        of_test = {(test.test, test.after): test for test in alone.tests}
        tests = [
            replace(test, requests=own.requests, lost=own.lost, in_common=own.in_common, alone=own.alone)
            if (own := of_test.get((test.test, test.after)))
            else test
            for test in self.tests
        ]
        stands = self.verdict == "inconclusive" and memory.body.regressed
        verdict: Verdict = "regression" if stands else self.verdict
        return replace(
            self,
            verdict=verdict,
            tests=tuple(tests),
            trials=alone.trials,
            not_asked=alone.not_asked,
            usage=alone.usage,
            memory=replace(memory, verdict=verdict, stands=stands),
        )

    @property
    def stated_run(self) -> BandVerdict | None:
        """The verdict on all bands together if it can fail the gate; else None."""
        return None if self.rules.run_margin is None else self.run

    @property
    def bands(self) -> tuple[BandVerdict, ...]:
        return tuple(band for test in self.tests for band in test.bands)


@dataclass(frozen=True, slots=True)
class _Runs:
    """The rows of two runs as they are compared."""

    rows: Both[Sequence[Row]]
    retired: dict[str, str]
    """Why the baseline's retired cases are left out, by their names."""
    by_judge: Sequence[Row]
    """The later rows as the judge graded them, whatever people's labels say."""
    right_twice: RightTwiceOf
    """The trials that a judge calls right twice, with their labels; empty without labels."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """A test of one subject in both runs."""

    test: str
    before: Subject
    after: Subject
    pairs: TrialPairs
    alone: Both[int]
    """The trials that only the baseline, and only the run, has; without checks of trials that looks left out."""
    vanished: tuple[Vanished, ...]
    """The trials of the baseline that count as missing, because the run lacks them."""
    added: tuple[Row, ...]
    """The trials that the run has and the baseline has not."""
    cells: Mapping[str, Paired | Averaged]
    """The difference of each cell."""
    bands: Mapping[Band, EvidenceByLook]
    clustered: bool
    """Whether any trial belongs to a cluster with a name."""
    vacuous: Mapping[Band, str]
    """Why a band's baseline has nothing to lose, for each band of which this holds."""
    reported: tuple[Reported, ...]
    faults: tuple[str, ...]
    """A sentence, without its full stop, on the test's own code if that failed."""
    too_old: str

    @property
    def stopped(self) -> bool:
        """Whether an early stop left any of its trials out."""
        return any(row.error == EARLY_STOP for row in self.pairs.after.values())

    def measured_pairs(self, looks: Mapping[Band, int] | None = None) -> list[RowPair]:
        """Return the pairs that both runs measured, in all looks or in the first `looks` of each band.

        A check of a test function is none: its answer is its trial's.
        """
        seen = [evidence.at(None if looks is None else looks[band]) for band, evidence in self.bands.items()]
        return [pair for evidence in seen for pair in evidence.pairs if pair.after.source is not None]

    @property
    def minimums(self) -> list[tuple[Reported, StatedMinimum]]:
        return [(reported, reported.minimum) for reported in self.reported if reported.minimum]


def give_verdict(
    before: Sequence[Row],
    after: Sequence[Row],
    rules: Rules,
    tests: Mapping[str, Protocol] | None = None,
    guessing: float = 0.0,
) -> RunVerdict:
    """Judge a run against its baseline.

    before, after: the rows of the baseline and of the run. tests: the known ones, by default those of longctx.
    guessing: the accuracy that guessing reaches in unknown tests.
    """
    try:
        runs = _runs_to_compare(before, after, rules)
        matched, unmatched = match_runs(*runs.rows)
    except UserError as error:
        return RunVerdict(
            verdict="invalid",
            rules=rules,
            tests=(),
            reasons=(error.reason,),
            unmatched=Both((), ()),
            trials=_trials(after),
        )
    if tests is None:
        from longctx.registry import shipped

        tests = shipped()
    gated = [match for match in matched if match.is_gated]
    compared = [_compared(match, runs, rules, tests, guessing) for match in gated]
    of_after = runs.rows.after
    not_judged = (
        () if rules.left_out or rules.missing else tuple(cells_not_judged(matched, unmatched.before, of_after, tests))
    )
    judged, of_run = _tests(compared, rules)
    looks = {band.band: band.look for test in judged for band in test.bands}
    measured = [pair for test in compared for pair in test.measured_pairs(looks)]
    all_pairs = [pair for test in compared for pair in test.measured_pairs()]
    limits = rules.limits.judged(all_pairs, rules.alpha, rules.repriced)
    reasons = (
        *(() if rules.other_profile else not_judged),
        *_reasons(judged, rules, limits, left_out=bool(matched) and not gated),
    )
    if (
        not reasons
        and of_run
        and (of_run.measured.verdict == "regression") != (of_run.at_worst.verdict == "regression")
    ):
        reasons = (
            *reasons,
            "if the missing trials counted as wrong, the drop of the run would be significant",
        )
    stated = of_run if rules.run_margin is not None else None
    if not reasons and stated and stated.measured.verdict != stated.at_worst.verdict:
        would = (
            f"the verdict on all bands together would be {stated.at_worst.verdict} and not {stated.measured.verdict}"
        )
        reasons = (*reasons, f"if the missing trials counted as wrong, {would}")
    verdict: Verdict = "invalid" if reasons else overall([test.verdict for test in judged])
    if not reasons and judged:
        verdict = overall(
            [verdict, *(limit.status for limit in limits), *([stated.measured.verdict] if stated else [])]
        )
        if of_run and of_run.measured.verdict == "regression":
            verdict = "regression"
    rejudged = tuple(_rejudged(compared))
    if reasons:
        reasons = (*(f"{phrase}: save a new baseline" for phrase in rejudged), *reasons)
    return RunVerdict(
        verdict=verdict,
        rules=rules,
        tests=judged,
        reasons=reasons,
        unmatched=unmatched.map(tuple),
        trials=_trials(of_after),
        not_asked=sum(row.error == EARLY_STOP for row in of_after),
        not_gated=tuple((match.test, match.after) for match in matched if match not in gated),
        cells_not_gated=len(
            {(row.test, row.subject, row.cell) for row in of_after if row.band is None and not is_check(row.test)}
        ),
        usage=UsageChange.of(measured) if measured else None,
        limits=limits,
        run=of_run.measured if of_run else None,
        run_change=_run_change(compared, stated.measured) if stated else None,
        uncovered=not_judged if rules.other_profile else (),
        baseline_runs=max((len(rows.before) for test in compared for rows in test.pairs.items.values()), default=1),
        graded=_graded(runs.by_judge),
        labelled=tuple(runs.right_twice),
        retired=runs.retired,
        rejudged=rejudged,
    )


def _runs_to_compare(before: Sequence[Row], after: Sequence[Row], rules: Rules) -> _Runs:
    """Return two runs as they are compared. Raises UserError if labels do not fit."""
    after = with_bands_of(before, after) if rules.of_base else after
    before, retired = without_retired(before, after, rules.retired)
    if not rules.labels:
        return _Runs(Both(before, after), retired, after, {})
    from longctx.gate.labels import labelled_rows

    labelled = labelled_rows(before, after, rules.labels)
    return _Runs(labelled.rows, retired, after, labelled.right_twice)


def _rejudged(compared: Sequence[_Compared]) -> Iterator[str]:
    """Yield a phrase on each thing that judges cases of a run in another way than in the baseline."""
    tests = [test.pairs.common for test in compared if not is_check(test.test)]
    errors = {row.error for common in tests for _, row in common.values() if row.band is not None}
    for other, what in (OTHER_EXPECTED, "expected answers"), (OTHER_JUDGE, "the judge or its prompt"):
        if other in errors:
            gated = [
                (number, key[:4], row.error)
                for number, common in enumerate(tests)
                for key, (_, row) in common.items()
                if row.band is not None
            ]
            changed = {(number, item) for number, item, error in gated if error == other}
            cases = {(number, item) for number, item, _ in gated}
            yield f"{what} of {len(changed):,} of {count(len(cases), 'case')} changed"


def _run_change(compared: Sequence[_Compared], run: BandVerdict) -> BandChange:
    """Return what changed in all bands together, at the look that their verdict is of."""
    bands = {band: evidence for test in compared for band, evidence in test.bands.items()}
    seen = {band: of.at(min(run.look, of.planned.number)) for band, of in bands.items()}
    return BandChange.of(
        evidence_of_all_bands({(band.test, band.name): of for band, of in seen.items() if of.run is None})
    )


def _trials(rows: Sequence[Row]) -> int:
    """Return the number of trials; rows of checks are not counted."""
    return sum(number for test, number in Counter(map(attrgetter("test"), rows)).items() if not is_check(test))


def _graded(rows: Sequence[Row]) -> tuple[GradedTest, ...]:
    """Return the tests whose answers a judge graded."""
    if not any(name.startswith(GRADED) for row in rows for name in row.trace):
        return ()
    from longctx.compare.judges import graded_tests

    return graded_tests(rows)


def _compared(match: Matched, runs: _Runs, rules: Rules, known: Mapping[str, Protocol], guessing: float) -> _Compared:
    """Compare the trials of two subjects.

    A test that is not installed is judged all the same. A check is looked at when its trial is.
    """
    after, right_twice = runs.rows.after, runs.right_twice.get((match.test, match.after))
    test, of_trials = known.get(match.test), name_of_test(match.test)
    looks = rules.looks.declared if of_trials in known else rules.looks.others
    of_check = is_check(match.test)
    same_subject = [row for row in after if row.subject == match.after] if of_check else match.rows.after
    trials = [row for row in same_subject if row.test == of_trials] or None
    match = replace(match, rows=Both(match.rows.before, unmeasured_if_rejudged(*match.rows)))
    both = pairs(*match.rows, Treatments.of(test))
    cells = by_cell(both)
    gone, new = () if rules.is_part else tuple(vanished(both)), tuple(added(both))
    terms = rules.margin, rules.alpha
    evidence = by_look(both, looks, terms, trials if of_check else None, gone, right_twice)
    clustered = has_clusters(in_looks.at(None) for in_looks in evidence.values())
    errors: Sequence[JudgeErrors | None] = ()
    if right_twice is None and any(test.endswith(f".{AGREEMENT}") for test in {row.test for row in after}):
        of_function = [row for row in after if name_of_test(row.test) == of_trials and row.subject == match.after]
        errors = judge_errors(match.test, of_function, trials or (), looks, terms)
    for at_looks in evidence.values():
        at_looks.errors = errors
    left_out = {item_key(row) for row in trials or () if of_check and row.error == EARLY_STOP}
    only_before, only_after = both.alone
    bands = {Band(match.test, name, match.after): in_looks for name, in_looks in evidence.items()}
    vacuous: dict[Band, str] = {}
    for band, at_looks in bands.items():
        earlier = at_looks.evidence[0].baseline
        of_band = [row for row in match.rows.after if row.band == band.name]
        vacuous[band] = nothing_to_lose(earlier, guessing_of(test, earlier, of_band, stated=guessing), rules.margin)
    reported, faults = _reported(match, rules, test)
    return _Compared(
        test=match.test,
        before=match.before,
        after=match.after,
        pairs=both,
        alone=Both(max(0, only_before - sum(key[:4] in left_out for key in both.before if left_out)), only_after),
        vanished=gone,
        added=new,
        cells=cells,
        bands=bands,
        clustered=clustered,
        vacuous={band: why for band, why in vacuous.items() if why},
        reported=reported,
        faults=faults,
        too_old=rules.age.too_old(*match.rows) if rules.age else "",
    )


def _reported(match: Matched, rules: Rules, test: Protocol | None) -> tuple[tuple[Reported, ...], tuple[str, ...]]:
    """Return what a test reports besides its bands, and a sentence without its full stop if its code fails.

    That code may be a user's: no stated minimum may be lost silently, and no other test's verdict may be.
    """
    if test is None and match.test not in rules.reports:
        return (), ()
    from longctx.views.declared import reporting_of, reporting_of_test
    from longctx.views.reporting import described

    name, report = match.test, rules.reports.get(match.test)
    if test:
        reporting = reporting_of(test)
    elif report:
        reporting = reporting_of_test(name, report)
    else:
        return (), (f"the report of {name} adds to the gate, but pytest collects no such test in this project",)
    grids = rules.grids.get((match.test, match.after.model), ())
    before, after = ([row for row in rows if row.measured] for rows in match.rows)
    try:
        return tuple(reporting.reported(before, after, grids) if before and after else ()), ()
    except Exception as error:
        return (), (f"the addition of {name} to the gate failed: {described(error)}",)


def _tests(compared: list[_Compared], rules: Rules) -> tuple[tuple[VerdictOfTest, ...], Tallied[BandVerdict] | None]:
    """Judge all tests and the run, with Holm's correction over their bands and stated minimums.

    A test of which an early stop left trials out tests no minimum.
    """
    minimums = [minimum.p_value for test in compared if not test.stopped for _, minimum in test.minimums]
    others = [*minimums, *([1.0] * (rules.bands_elsewhere + rules.other_hypotheses))]
    looks = {
        band: BandLooks(evidence.planned, evidence.at_looks, test.vacuous.get(band, ""))
        for test in compared
        for band, evidence in test.bands.items()
    }
    if rules.bands_elsewhere:  # the run is tested when all of it is known, and counts as not shown until then
        terms = rules.margin, rules.alpha, [*others, 1.0], rules.run_margin, rules.next_alpha
        of_bands, of_run = judge_in_looks(looks, *terms), None
    else:
        of_bands, of_run = judge_run(looks, rules.margin, rules.alpha, others, rules.run_margin, rules.next_alpha)
    judged = dict(zip(looks, of_bands, strict=True))
    shown = iter(holm([*minimums, *(measured.p_value for measured, _ in judged.values())], rules.alpha))
    missed = [
        tuple(reported for reported, minimum in test.minimums if not test.stopped and next(shown) and minimum.below)
        for test in compared
    ]
    if of_run and all(at.evidence[-1].same_answers for test in compared for at in test.bands.values()):
        of_run = Tallied(_same(of_run.measured), _same(of_run.at_worst))
    clustered = sum(test.clustered for test in compared)
    tests = tuple(
        _test(test, {band: judged[band] for band in test.bands}, of_test, max(1, clustered), rules.retired)
        for test, of_test in zip(compared, missed, strict=True)
    )
    return tests, of_run


def _same(verdict: BandVerdict, vacuous: str = "") -> BandVerdict:
    """Return the verdict on answers that were compared with themselves: a pass unless there is nothing to lose."""
    changed: Verdict = "invalid" if vacuous else "pass"
    return replace(verdict, verdict=changed, bound=0.0, needed=None, same_answers=True, improved=False)


def _test(
    test: _Compared,
    judged: Mapping[Band, Tallied[BandVerdict]],
    missed: tuple[Reported, ...],
    clustered: int,
    retired: Retired,
) -> VerdictOfTest:
    """Judge one test. judged: its bands, as measured and with what was not measured counted as wrong."""
    beside: list[Verdict] = ["regression"] if missed else ["inconclusive"] if test.stopped and test.minimums else []
    seen = {band: test.bands[band].at(measured.look) for band, (measured, _) in judged.items()}
    given = [
        Tallied(*(_same(side, test.vacuous.get(band, "")) for side in both)) if seen[band].same_answers else both
        for band, both in judged.items()
    ]
    bands = tuple(measured for measured, _ in given)
    verdict = overall([*(band.verdict for band in bands), *beside])
    at_worst = overall([*(band.verdict for _, band in given), *beside])
    evidence = {band.name: of_band for band, of_band in seen.items()}
    changes = tuple(map(BandChange.of, seen.values()))
    requests = Requests.of((pair for band in seen.values() for pair in band.pairs), test.pairs.common.values())
    reasons = [*unmeasured(test.pairs, evidence, test.vanished, retired), *filter(None, [test.too_old]), *test.faults]
    if verdict != at_worst and any(band.n for band in bands):
        reasons.append(f"if the missing trials counted as wrong, the verdict would be {at_worst} and not {verdict}")
    return VerdictOfTest(
        test=test.test,
        before=test.before,
        after=test.after,
        verdict="invalid" if reasons else verdict,
        bands=bands,
        reported=test.reported,
        missed=missed,
        reasons=tuple(reasons),
        asked=sum(of_band.asked for of_band in evidence.values()),
        missing=sum(of_band.missing for of_band in evidence.values()),
        in_common=len(test.pairs.common),
        alone=test.alone,
        mismatched=test.pairs.mismatched,
        cells=tuple(test.cells.items()),
        changes=changes,
        across=test.pairs.across,
        evidence=tuple(seen.values()),
        clustered=clustered,
        requests=requests,
        vanished=test.vanished,
        added=test.added,
        lost=tuple(
            pair for band in seen.values() for pair in band.pairs if pair.before.correct and not pair.after.correct
        ),
    )


def _reasons(
    tests: tuple[VerdictOfTest, ...], rules: Rules, limits: Sequence[GrowthLimit], left_out: bool
) -> Iterator[str]:
    """Yield the reasons why the whole run is invalid. left_out: whether the profile leaves every table out."""
    yield from filter(None, [rules.unanswered])
    yield from rules.missing
    yield from rules.unjudged
    asked = 1 if left_out else sum(test.asked - sum(trial.answers for trial in test.vanished) for test in tests)
    yield from why_run_is_invalid(
        rules.left_out, rules.empty, asked, sum(test.in_common for test in tests), rules.cells
    )
    if left_out:
        yield NONE_GATED
    if invalid := [test.test for test in tests if test.reasons]:
        yield f"not enough trials measured in {', '.join(dict.fromkeys(invalid))}"
    yield from (str(limit) for limit in limits if limit.status == "invalid" and tests)
