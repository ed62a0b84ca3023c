"""The verdict on a run against its baseline: for each family, and for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from longctx.compare.match import Matched, match_runs
from longctx.compare.pairs import Pairs, pairs
from longctx.errors import UserError
from longctx.gate.bands import EARLY_SHARE, EARLY_STOP, Band, BandVerdict, Verdict, judge, overall
from longctx.gate.defaults import ALPHA, MARGIN
from longctx.gate.evidence import Evidence, by_band, by_scenario
from longctx.gate.further import Further
from longctx.gate.validity import Age, of_the_run, unmeasured, unproven
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
    """margin: the drop that does not matter, a share of trials. alpha: the chance of a false alarm in all.

    age: how old recordings may be where the model has changed. cut_down: scenarios of the grid that the run left out;
    empty: those that have no question. grids: (family, model) -> its tables. early_stop: the run might have stopped
    once its verdict was settled. lacking: which shards of the grid are not in it, a sentence each.
    """

    margin: float = MARGIN
    alpha: float = ALPHA
    age: Age = field(default_factory=Age)
    cut_down: int = 0
    empty: int = 0
    grids: Mapping[tuple[str, str], Sequence[Grid]] = field(default_factory=dict)
    early_stop: bool = False
    lacking: Sequence[str] = ()

    def level(self, stopped: bool) -> float:
        """The part of alpha that the evidence of a stopped run has, or the test of one that was not."""
        if not self.early_stop:
            return self.alpha
        return self.alpha * (EARLY_SHARE if stopped else 1 - EARLY_SHARE)


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """One family of one subject. reasons: why it is invalid, a sentence each.

    alone: trials of the baseline, and of the run, that the other lacks; mismatched: those of one name that ask
    different questions. asked, missing: pairs, and those of them that the run did not measure.
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
    """By their names: description, and no ground for an alarm."""


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """reasons: why the whole run is invalid. left: (family, subject) that only the baseline, only the run, has.

    trials: of the run. left_out: those of them that were not asked because the verdict was settled.
    """

    verdict: Verdict
    rules: Rules
    families: tuple[FamilyVerdict, ...]
    reasons: tuple[str, ...]
    left: tuple[tuple[tuple[str, Subject], ...], tuple[tuple[str, Subject], ...]]
    trials: int = 0
    left_out: int = 0

    @property
    def alpha(self) -> float:
        """The significance level of the verdict."""
        return self.rules.level(self.left_out > 0)

    @property
    def shown_after(self) -> str:
        """How much of the run the verdict took, where the rest was not asked."""
        asked = self.trials - self.left_out
        return f"{self.verdict} shown after {asked:,} of {self.trials:,} trials, {self.left_out:,} not asked"

    @property
    def settled(self) -> bool:
        """Whether a run may stop here. A drop that may yet be shown to be smaller than the margin settles nothing."""
        bands = [band for family in self.families for band in family.bands]
        large = any(band.verdict == "regression" and -band.difference >= self.rules.margin for band in bands)
        return self.verdict == "pass" or (self.verdict == "regression" and large)


@dataclass(frozen=True, slots=True)
class _Compared:
    """A family of one subject in both runs."""

    family: str
    before: Subject
    after: Subject
    pairs: Pairs
    bands: Mapping[str, Evidence]
    further: Further
    unproven: str

    def band(self, name: str) -> Band:
        return Band(self.family, name, self.after)


def give_verdict(
    before: Sequence[Row], after: Sequence[Row], rules: Rules, families: Mapping[str, Family] | None = None
) -> RunVerdict:
    """before, after: the rows of the baseline and of the run.

    families: those that are known, by default those of longctx.
    """
    try:
        matched, left = match_runs(before, after)
    except UserError as error:
        return RunVerdict("invalid", rules, (), (error.reason,), ((), ()), len(after))
    known = shipped() if families is None else families
    compared = [_compared(match, rules, known.get(match.family)) for match in matched]
    left_out = sum(row.error == EARLY_STOP for row in after)
    judged = _families(compared, rules, stopped=left_out > 0)
    reasons = tuple(_reasons(judged, rules))
    verdict: Verdict = "invalid" if reasons else _worst([family.verdict for family in judged])
    return RunVerdict(verdict, rules, judged, reasons, (tuple(left[0]), tuple(left[1])), len(after), left_out)


def _compared(one: Matched, rules: Rules, family: Family | None) -> _Compared:
    """family: None where it is not installed here: its bands are judged all the same."""
    both = pairs(*one.rows)
    account = account_of(family) if family else Account()
    grids = rules.grids.get((one.family, one.after.model), ())
    further = Further(one.family, account, both, one.after.model, grids)
    return _Compared(one.family, one.before, one.after, both, by_band(both), further, unproven(*one.rows, rules.age))


def _families(compared: list[_Compared], rules: Rules, stopped: bool) -> tuple[FamilyVerdict, ...]:
    """Holm over all bands and further hypotheses of all families; over the bands, where the run was stopped."""
    alpha = rules.level(stopped)
    tested = [[] if stopped else family.further.tested(alpha) for family in compared]
    p_further = [p_value for of_family in tested for _, p_value in of_family]
    bands = {family.band(name): evidence for family in compared for name, evidence in family.bands.items()}

    def judged(pessimistic: bool) -> dict[Band, BandVerdict]:
        clusters = {band: one.pessimistic if pessimistic else one.clusters for band, one in bands.items()}
        verdicts = judge(clusters, rules.margin, alpha, beside=p_further, at_any_time=stopped)
        return {
            verdict.band: _without_statistics(verdict) if bands[verdict.band].same_answers else verdict
            for verdict in verdicts
        }

    seen, feared = judged(False), judged(True)
    shown = iter(holm([*p_further, *(verdict.p_value for verdict in seen.values())], alpha))
    further = [
        family.further.judged([test for test, _ in of_family], [next(shown) for _ in of_family], rules.margin)
        for family, of_family in zip(compared, tested, strict=True)
    ]
    return tuple(
        _family(
            family,
            tuple(seen[family.band(name)] for name in family.bands),
            tuple(feared[family.band(name)] for name in family.bands),
            tuple(judged),
            stopped,
        )
        for family, judged in zip(compared, further, strict=True)
    )


def _without_statistics(one: BandVerdict) -> BandVerdict:
    """An answer compared with itself needs none."""
    return replace(one, verdict="pass", bound=0.0, needed=None, same_answers=True)


def _family(
    one: _Compared,
    bands: tuple[BandVerdict, ...],
    feared: tuple[BandVerdict, ...],
    hypotheses: tuple[Judged, ...],
    stopped: bool,
) -> FamilyVerdict:
    further: list[Verdict] = ["inconclusive"] if stopped and one.further.made else list(_verdicts(hypotheses))
    verdict = _worst([overall(bands), *further])
    fear = _worst([overall(feared), *further])
    reasons = [*unmeasured(one.pairs, one.bands), *filter(None, [one.unproven]), *one.further.faults]
    if verdict != fear:
        reasons.append(f"if what is missing counted as wrong, {verdict} would be {fear}")
    both = len(one.pairs.common) + one.pairs.mismatched
    return FamilyVerdict(
        family=one.family,
        before=one.before,
        after=one.after,
        verdict="invalid" if reasons else verdict,
        bands=bands,
        hypotheses=hypotheses,
        reasons=tuple(reasons),
        asked=sum(evidence.asked for evidence in one.bands.values()),
        missing=sum(evidence.missing for evidence in one.bands.values()),
        alone=(len(one.pairs.before) - both, len(one.pairs.after) - both),
        mismatched=one.pairs.mismatched,
        scenarios=tuple(by_scenario(one.pairs).items()),
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
    """Why nothing can be said of the run."""
    yield from rules.lacking
    yield from of_the_run(rules.cut_down, rules.empty, sum(family.asked for family in families))
    if broken := [family.family for family in families if family.reasons]:
        yield f"too little is known of {', '.join(dict.fromkeys(broken))}"
