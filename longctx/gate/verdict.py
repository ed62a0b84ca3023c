"""The verdict on a run against its baseline: one for each family, and one for the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from longctx.compare.match import Matched, match_runs
from longctx.compare.pairs import TrialPairs, pairs
from longctx.errors import UserError
from longctx.gate.bands import EARLY_SHARE, EARLY_STOP, Band, BandVerdict, Verdict, judge, overall
from longctx.gate.defaults import ALPHA, MARGIN
from longctx.gate.evidence import Evidence, by_band, by_scenario
from longctx.gate.further import FamilyHypotheses
from longctx.gate.validity import AgeLimit, of_the_run, too_old, unmeasured
from longctx.registry import account_of, shipped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.paired import Paired
from longctx.stats.rates import holm
from longctx.vocabulary.account import Account
from longctx.vocabulary.family import Family
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.hypothesis import Judged


@dataclass(frozen=True, slots=True)
class Rules:
    """The terms of a verdict.

    margin: the non-inferiority margin, a share of trials. alpha: the probability of a false alarm in the whole run.
    age: how old recordings of a changed model may be. left_out: the number of the grid's scenarios that the run left
    out. empty: the number without a question. grids: the profile's tables of each (family, model). early_stop: whether
    the run could stop once its verdict was settled. lacking: a sentence on each shard of the grid that is missing.
    """

    margin: float = MARGIN
    alpha: float = ALPHA
    age: AgeLimit = field(default_factory=AgeLimit)
    left_out: int = 0
    empty: int = 0
    grids: Mapping[tuple[str, str], Sequence[Grid]] = field(default_factory=dict)
    early_stop: bool = False
    lacking: Sequence[str] = ()

    def level(self, stopped: bool) -> float:
        """Return the significance level of a run that was stopped, or that ran to its end."""
        if not self.early_stop:
            return self.alpha
        return self.alpha * (EARLY_SHARE if stopped else 1 - EARLY_SHARE)


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """The verdict on one family of one subject.

    reasons: a sentence on each reason why it is invalid. asked: the pairs that the baseline measured. missing: those of
    them that the run did not measure. alone: the trials that only the baseline, and only the run, has. mismatched:
    how many trials share a key but ask different questions. scenarios: the paired difference of each by its name; these
    raise no alarm.
    """

    family: str
    before: Subject
    after: Subject
    verdict: Verdict
    bands: tuple[BandVerdict, ...]
    hypotheses: tuple[Judged, ...]
    reasons: tuple[str, ...]
    asked: int
    missing: int
    alone: tuple[int, int]
    mismatched: int
    scenarios: tuple[tuple[str, Paired], ...] = ()


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The verdict on a run.

    reasons: a sentence on each reason why the whole run is invalid. unmatched: the (family, subject) that only the
    baseline, and only the run, has. trials: all of the run's. not_asked: those that an early stop left out.
    """

    verdict: Verdict
    rules: Rules
    families: tuple[FamilyVerdict, ...]
    reasons: tuple[str, ...]
    unmatched: tuple[tuple[tuple[str, Subject], ...], tuple[tuple[str, Subject], ...]]
    trials: int = 0
    not_asked: int = 0

    @property
    def alpha(self) -> float:
        """The significance level of the verdict."""
        return self.rules.level(self.not_asked > 0)

    @property
    def shown_after(self) -> str:
        """A sentence, without its full stop, on how many trials an early stop took."""
        asked = self.trials - self.not_asked
        return f"{self.verdict} shown after {asked:,} of {self.trials:,} trials, {self.not_asked:,} not asked"

    @property
    def settled(self) -> bool:
        """Whether a run may stop here. It may not if a shown drop could still prove to be smaller than the margin."""
        bands = [band for family in self.families for band in family.bands]
        large = any(band.verdict == "regression" and -band.difference >= self.rules.margin for band in bands)
        return self.verdict == "pass" or (self.verdict == "regression" and large)


@dataclass(frozen=True, slots=True)
class _Compared:
    """A family of one subject in both runs."""

    family: str
    before: Subject
    after: Subject
    pairs: TrialPairs
    bands: Mapping[str, Evidence]
    further: FamilyHypotheses
    too_old: str

    def band(self, name: str) -> Band:
        return Band(self.family, name, self.after)


def give_verdict(
    before: Sequence[Row], after: Sequence[Row], rules: Rules, families: Mapping[str, Family] | None = None
) -> RunVerdict:
    """Judge a run against its baseline.

    before, after: the rows of the baseline and of the run. families: the known ones, by default those of longctx.
    """
    try:
        matched, unmatched = match_runs(before, after)
    except UserError as error:
        return RunVerdict("invalid", rules, (), (error.reason,), ((), ()), len(after))
    known = shipped() if families is None else families
    compared = [_compared(match, rules, known.get(match.family)) for match in matched]
    not_asked = sum(row.error == EARLY_STOP for row in after)
    judged = _families(compared, rules, stopped=not_asked > 0)
    reasons = tuple(_reasons(judged, rules))
    verdict: Verdict = "invalid" if reasons else _worst([family.verdict for family in judged])
    only_before, only_after = unmatched
    return RunVerdict(verdict, rules, judged, reasons, (tuple(only_before), tuple(only_after)), len(after), not_asked)


def _compared(match: Matched, rules: Rules, family: Family | None) -> _Compared:
    """Compare the trials of two subjects. family: None if it is not installed; its bands are judged all the same."""
    both = pairs(*match.rows)
    account = account_of(family) if family else Account()
    grids = rules.grids.get((match.family, match.after.model), ())
    further = FamilyHypotheses(match.family, account, both, match.after.model, grids)
    return _Compared(
        match.family, match.before, match.after, both, by_band(both), further, too_old(*match.rows, rules.age)
    )


def _families(compared: list[_Compared], rules: Rules, stopped: bool) -> tuple[FamilyVerdict, ...]:
    """Judge all families, with Holm's correction over their bands and further hypotheses.

    A run that was stopped early tests no further hypotheses.
    """
    alpha = rules.level(stopped)
    tested = [[] if stopped else family.further.tested(alpha) for family in compared]
    p_further = [p_value for of_family in tested for _, p_value in of_family]
    bands = {family.band(name): evidence for family in compared for name, evidence in family.bands.items()}

    def judged(pessimistic: bool) -> dict[Band, BandVerdict]:
        clusters = {
            band: evidence.pessimistic if pessimistic else evidence.clusters for band, evidence in bands.items()
        }
        verdicts = judge(clusters, rules.margin, alpha, further=p_further, at_any_time=stopped)
        return {
            verdict.band: _without_statistics(verdict) if bands[verdict.band].same_answers else verdict
            for verdict in verdicts
        }

    measured, pessimistic = judged(False), judged(True)
    shown = iter(holm([*p_further, *(verdict.p_value for verdict in measured.values())], alpha))
    further = [
        family.further.judged([test for test, _ in of_family], [next(shown) for _ in of_family], rules.margin)
        for family, of_family in zip(compared, tested, strict=True)
    ]
    return tuple(
        _family(
            family,
            tuple(measured[family.band(name)] for name in family.bands),
            tuple(pessimistic[family.band(name)] for name in family.bands),
            tuple(hypotheses),
            stopped,
        )
        for family, hypotheses in zip(compared, further, strict=True)
    )


def _without_statistics(verdict: BandVerdict) -> BandVerdict:
    """Let a band pass whose answers were compared with themselves: that needs no statistics."""
    return replace(verdict, verdict="pass", bound=0.0, needed=None, same_answers=True)


def _family(
    family: _Compared,
    bands: tuple[BandVerdict, ...],
    pessimistic: tuple[BandVerdict, ...],
    hypotheses: tuple[Judged, ...],
    stopped: bool,
) -> FamilyVerdict:
    """Judge one family. pessimistic: its bands if the trials that the run did not measure counted as wrong."""
    further: list[Verdict] = ["inconclusive"] if stopped and family.further.made else list(_verdicts(hypotheses))
    verdict = _worst([overall(bands), *further])
    at_worst = _worst([overall(pessimistic), *further])
    reasons = [*unmeasured(family.pairs, family.bands), *filter(None, [family.too_old]), *family.further.faults]
    if verdict != at_worst:
        reasons.append(f"if what is missing counted as wrong, the verdict would be {at_worst} and not {verdict}")
    both = len(family.pairs.common) + family.pairs.mismatched
    return FamilyVerdict(
        family=family.family,
        before=family.before,
        after=family.after,
        verdict="invalid" if reasons else verdict,
        bands=bands,
        hypotheses=hypotheses,
        reasons=tuple(reasons),
        asked=sum(evidence.asked for evidence in family.bands.values()),
        missing=sum(evidence.missing for evidence in family.bands.values()),
        alone=(len(family.pairs.before) - both, len(family.pairs.after) - both),
        mismatched=family.pairs.mismatched,
        scenarios=tuple(by_scenario(family.pairs).items()),
    )


def _verdicts(hypotheses: tuple[Judged, ...]) -> Iterator[Verdict]:
    for hypothesis in hypotheses:
        yield hypothesis.verdict
        if hypothesis.against_minimum is not None:
            yield hypothesis.against_minimum


def _worst(verdicts: list[Verdict]) -> Verdict:
    order: tuple[Verdict, ...] = ("invalid", "regression", "inconclusive", "pass")
    return min(verdicts, key=order.index, default="inconclusive")


def _reasons(families: tuple[FamilyVerdict, ...], rules: Rules) -> Iterator[str]:
    """Yield the reasons why the whole run is invalid."""
    yield from rules.lacking
    yield from of_the_run(rules.left_out, rules.empty, sum(family.asked for family in families))
    if invalid := [family.family for family in families if family.reasons]:
        yield f"too little is known of {', '.join(dict.fromkeys(invalid))}"
