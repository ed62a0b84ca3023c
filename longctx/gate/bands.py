"""The verdict on each band of lengths, from paired trials: pass, regression or inconclusive.

Each band is its own hypothesis, so that a collapse at the long end is not averaged away. A band passes if its drop
is shown to be smaller than the margin. It is a regression if a drop above zero is shown, with Holm's correction over
all bands, and the band does not pass. Otherwise it is inconclusive. A band whose baseline has nothing to lose
(gate/nothing_to_lose.py) is invalid unless a drop is shown.

A run of several bands is its own hypothesis, with its own margin: a small drop in all of them is a regression
though each band by itself shows none, or passes. It is tested with the bands, and counts in Holm's correction. If a
profile states that margin, the run must pass, too, and every band is asked until the run is settled.

Evidence may be looked at several times (stats/group_sequential.py). A band is settled at the first look at which it
passes, or shows a drop of at least the margin; what was asked after that look does not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

from longctx.gate.rules import ALPHA, MARGIN
from longctx.stats import unpaired
from longctx.stats.averaged import Averaged
from longctx.stats.bound import p_value_over_clusters
from longctx.stats.clustered import ByCluster
from longctx.stats.group_sequential import ONCE
from longctx.stats.group_sequential import Looks as Planned
from longctx.stats.labelled import Labelled, RightTwice
from longctx.stats.rates import Rate, holm
from longctx.stats.unpaired import Unpaired
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import name_of_test

if TYPE_CHECKING:
    from longctx.results.row import Subject
    from longctx.stats.judge_errors import JudgeErrors

Verdict = Literal["pass", "regression", "inconclusive", "invalid"]

RUN_MARGIN = 0.025
"""The margin of the run as its own hypothesis; that of its bands, if that is smaller."""
OFTEN = 0.9
"""The probability with which as many trials as are named settle a band."""
DOUBT = 0.5
"""The share of its margin that the run must have lost for bands that are settled to be asked further."""
LEAST_CLUSTERS = 15
"""With fewer clusters of several trials no drop is ruled out.

In simulations of changes that overturn whole sections (benchmarks/gate/RESULTS.md), 12 clusters or fewer passed a drop
of the margin in more than 5% of the gates; 15 did not. For a single band at low rates such a change raises a false
alarm in 9 to 12% with 15 to 60 clusters, because the test assumes that losses are spread over the sections as gains
are.
"""
LEAST_CLUSTERS_OF_DROP = 5
"""With fewer clusters of several trials no drop is significant, either.

From this number to LEAST_CLUSTERS, a second test must find the drop, which allows for a cluster that gained and was not
observed: false alarms are rarer than with more clusters (benchmarks/gate/FEW.md).
"""


@dataclass(frozen=True, slots=True)
class Band:
    """A test's trials in one range of lengths."""

    test: str
    name: str
    subject: Subject | None = None
    """The subject they belong to, if a run has several."""

    def __str__(self) -> str:
        return f"{self.test}, {self.name}"


RUN = Band("all tests", "all")
"""Stands for all bands of a run together."""


@dataclass(frozen=True, slots=True)
class BandVerdict:
    """The verdict on one band.

    gained, lost: the discordant pairs; of several answers, the sums of mean changes.
    """

    band: Band
    verdict: Verdict
    n: int
    """Pairs."""
    clusters: int
    """How many clusters they form."""
    gained: float
    lost: float
    bound: float
    """The upper bound of the drop, a share of trials."""
    p_value: float
    """The p-value of the hypothesis that there is no drop; a mid-p-value if all pairs are independent."""
    shown: bool
    """Whether a drop is shown."""
    needed: int | None
    """About how many trials settle an inconclusive band with 90% probability; None if that is not known.

    They count those that it has, are judged as the next run is, and show the observed drop, or rule out one of the
    margin if nothing changes from here: the smaller number of both.
    """
    same_answers: bool = False
    """The run replayed the baseline's own answers and judged them the same."""
    reason: str = ""
    """Why it is invalid."""
    improved: bool = False
    """Whether it passes with a significant gain."""
    unpaired: Both[Rate] | None = None
    """The rates of baseline and run where their items do not correspond; None where trials are paired."""
    look: int = 1
    """The look that the verdict is of; 0 if there was none."""
    looks: int = 1
    """How many were planned."""
    settled: bool = True
    """Whether later ones cannot change the verdict."""
    asking: bool = False
    """Whether later looks are still to be asked: it is not settled, or the run is not."""
    needed_to_show: bool = False
    """Whether `needed` trials show the observed drop; otherwise they rule out the margin."""

    @property
    def difference(self) -> float:
        """The accuracy of the run minus the accuracy of the baseline."""
        if self.unpaired:
            return self.unpaired.after.rate - self.unpaired.before.rate if self.n else 0.0
        return (self.gained - self.lost) / self.n if self.n else 0.0

    @property
    def tested(self) -> str:
        """The p-value and its kind, such as `mid-p 0.012`."""
        kind = "p" if self.unpaired or self.n != self.clusters else "mid-p"
        return f"{kind} {self.p_value:.2g}"

    @property
    def takes(self) -> str:
        """About how much settles it, such as `110 trials`: clusters, where these are the sample; empty if not known."""
        if self.needed is None:
            return ""
        if self.unpaired or self.n < 2 * self.clusters or not self.n:
            return f"{self.needed:,} trials"
        return f"{math.ceil(self.needed * self.clusters / self.n):,} documents or other clusters"

    @property
    def within_margin(self) -> bool:
        """Whether a drop is shown, but also shown to be smaller than the margin."""
        return self.verdict == "pass" and self.shown


Evidenced = Averaged | Labelled | Unpaired
"""The evidence in a band: pairs, those that people labelled, or two samples that share no item."""


T = TypeVar("T")


class Tallied(NamedTuple, Generic[T]):
    """One result from the measured trials, and from all trials if unmeasured ones count as wrong."""

    measured: T
    at_worst: T


@dataclass(frozen=True, slots=True)
class LookEvidence:
    """The evidence in a band at one look, that of earlier looks included."""

    clusters: Evidenced
    pessimistic: Evidenced
    """`clusters` with the trials that were not measured counted as wrong."""
    can_settle: bool = True
    """Whether this evidence may stop the sending of further requests."""
    errors: JudgeErrors | None = None
    """The error rates of the judge that graded the trials, which the verdict corrects for; None if not known."""
    answers: Tallied[ByCluster] | None = None
    """The answers of both by the names of their clusters, which may extend over bands; None if they are not paired."""
    right_twice: RightTwice | None = None
    """The answers that a judge calls right twice, if people labelled a sample of them."""


@dataclass(frozen=True, slots=True)
class BandLooks:
    """A band to judge."""

    planned: Planned
    at: Sequence[LookEvidence]
    """The evidence at the looks that were taken."""
    vacuous: str = ""
    """Why it cannot pass; empty if it can."""


def judge(
    bands: Mapping[Band, Evidenced],
    margin: float = MARGIN,
    alpha: float = ALPHA,
    further: Sequence[float] = (),
) -> list[BandVerdict]:
    """Return a verdict for each band, in their order, from evidence that is looked at once.

    further: the p-values of stated minimums, which Holm's correction counts, too.
    """
    looks = {band: BandLooks(ONCE, [LookEvidence(clusters, clusters)]) for band, clusters in bands.items()}
    return [measured for measured, _ in judge_in_looks(looks, margin, alpha, further)]


def judge_in_looks(
    bands: Mapping[Band, BandLooks],
    margin: float,
    alpha: float,
    further: Sequence[float] = (),
    run_margin: float | None = None,
    next_alpha: float | None = None,
) -> list[Tallied[BandVerdict]]:
    """Return two verdicts for each band, in their order: on what was measured, and with what was not counted as wrong.

    further: see `judge`. They count as not shown until all looks are taken. run_margin: that which is stated of a run
    that has further bands, so that it is not settled here. next_alpha: the level of the next run, by which the needed
    trials are computed; None for alpha.
    """
    verdicts, _ = _judge(bands, (margin, run_margin), (alpha, next_alpha or alpha), further, None)
    return verdicts


def judge_run(
    bands: Mapping[Band, BandLooks],
    margin: float,
    alpha: float,
    further: Sequence[float] = (),
    run_margin: float | None = None,
    next_alpha: float | None = None,
) -> tuple[list[Tallied[BandVerdict]], Tallied[BandVerdict] | None]:
    """Return what `judge_in_looks` returns, with the run as its own hypothesis, and the verdicts on that.

    run_margin: the margin that is stated of the run. Without one, the verdicts on a run that has fewer than two bands
    of paired trials are None; and while most of a drop of the run's margin is seen but not shown, bands that are
    settled are asked further: the run alone counts what they answer.
    """
    apart = [band for band, looks in bands.items() if any(at.answers is None for at in looks.at)]
    margins, alphas = (margin, run_margin), (alpha, next_alpha or alpha)
    if not bands or (run_margin is None and len(bands) - len(apart) < 2):
        return _judge(bands, margins, alphas, further, None)
    paired = [looks for band, looks in bands.items() if band not in apart]
    planned = max((looks.planned for looks in paired), key=lambda looks: looks.number, default=ONCE)
    vacuous = f"the items of {'; '.join(map(str, apart))} do not correspond" if apart and run_margin is not None else ""
    looks = BandLooks(planned, [], vacuous)
    run = Tallied(_Judged(RUN, looks), _Judged(RUN, looks, pessimistic=True))
    return _judge(bands, margins, alphas, further, run)


def margin_of_run(margin: float, stated: float | None) -> float:
    """Return the margin of a run as its own hypothesis. stated: by its profile."""
    return min(RUN_MARGIN if stated is None else stated, margin)


def _judge(
    bands: Mapping[Band, BandLooks],
    margins: tuple[float, float | None],
    alphas: tuple[float, float],
    further: Sequence[float],
    run: Tallied[_Judged] | None,
) -> tuple[list[Tallied[BandVerdict]], Tallied[BandVerdict] | None]:
    """Judge bands and the run. margins: of each band, and the stated one of the run. alphas: of this run, and of the
    next one."""
    judged = [Tallied(_Judged(band, looks), _Judged(band, looks, pessimistic=True)) for band, looks in bands.items()]
    hypotheses = [*judged, *([run] if run else [])]
    (margin, stated), run_margin, (alpha, next_alpha) = margins, margin_of_run(*margins), alphas
    for look in range(1, max((looks.planned.number for looks in bands.values()), default=0) + 1):
        asked = [each for each in judged if each.measured.asking and look <= len(each.measured.looks.at)]
        if not asked:
            break
        going = [each for each in asked if not each.measured.settled]
        for side_of_band in (one for each in going for one in each):
            side_of_band.look_at(look, alpha)
        for measured, _ in asked:
            measured.asked = look
        for index, side in enumerate(run or ()):
            if not side.settled:
                side.take(
                    _together([each.measured for each in judged], index), look, alpha, _corrections(judged, index)
                )
        _show(hypotheses, [1.0] * len(further), alpha)
        for measured, pessimistic in going:
            last = look == measured.looks.planned.number
            alike = _alike(Tallied(measured, pessimistic), margin)
            can = measured.looks.at[look - 1].can_settle and alike and measured.may_settle(margin)
            measured.settled = pessimistic.settled = last or can
        regressed = any(each.measured.settled and each.measured.verdict(margin) == "regression" for each in judged)
        if stated is not None:
            seen = [each.measured for each in judged if each.measured.asked]
            can = all(band.looks.at[band.asked - 1].can_settle for band in seen)
            if run and can and _alike(run, run_margin) and run.measured.may_settle(run_margin):
                run.measured.settled = run.at_worst.settled = True
            doubt = not regressed and not (run and run.measured.settled)
        else:
            seen_drop = run is not None and not run.measured.shown and run.measured.difference <= -DOUBT * run_margin
            doubt = seen_drop and not regressed
        for measured, _ in asked:
            measured.asking = look < measured.looks.planned.number and (doubt or not measured.settled)
    _show(hypotheses, further, alpha)
    number = len(hypotheses) + len(further)
    margins_of = [*(margin for _ in judged), run_margin]
    verdicts = [
        Tallied(*(side.verdict_now(own, next_alpha, number) for side in each))
        for each, own in zip(hypotheses, margins_of, strict=False)
    ]
    return (verdicts[:-1], verdicts[-1]) if run else (verdicts, None)


def _alike(of: Tallied[_Judged], margin: float) -> bool:
    return of.measured.verdict(margin) == of.at_worst.verdict(margin)


def _together(bands: Sequence[_Judged], side: int) -> Averaged | Labelled:
    """Return the answers in all bands as far as each was asked, by cluster. side: 1 for the pessimistic ones."""
    trials = ByCluster()
    right_twice: list[RightTwice] = []
    for band in bands:
        at = band.looks.at[band.asked - 1] if band.asked else None
        if at and at.answers:
            trials.extend(at.answers[side], name_of_test(band.band.test))
        right_twice += [at.right_twice] if at and at.right_twice else []
    known = trials.averaged
    return Labelled(known, right_twice) if right_twice else known


def _corrections(judged: Sequence[Tallied[_Judged]], side: int) -> float:
    """Return what the errors of judges add, at the most, to the bound of the drop in all bands together."""
    bands = [each[side] for each in judged if not isinstance(each[side].clusters, Unpaired)]
    trials = sum(band.clusters.n for band in bands)
    return sum(band.correction * band.clusters.n for band in bands) / trials if trials else 0.0


class _Judged:
    """A band while its looks are taken."""

    def __init__(self, band: Band, looks: BandLooks, pessimistic: bool = False) -> None:
        self.band, self.looks, self.pessimistic = band, looks, pessimistic
        self.clusters: Evidenced = Averaged(())
        self.look, self.p_value, self.of_gain, self.bound = 0, 1.0, 1.0, 1.0
        self.shown = self.settled = self.gained = False
        self.asking, self.asked = True, 0
        self.errors: JudgeErrors | None = None
        self.correction = 0.0

    def look_at(self, look: int, alpha: float) -> None:
        at = self.looks.at[look - 1]
        evidence = at.pessimistic if self.pessimistic else at.clusters
        self.errors, self.correction, level = at.errors, 0.0, self.looks.planned.level(alpha, look)
        if at.errors and evidence.n and enough(evidence):
            shown = _bound(evidence, level)
            self.correction = at.errors.drop_bound(evidence.difference, shown, level) - shown
        self.take(evidence, look, alpha, self.correction)

    def take(self, evidence: Evidenced, look: int, alpha: float, correction: float = 0.0) -> None:
        """Take the evidence at a look. correction: what the errors of a judge add to the bound of the drop."""
        self.look, self.clusters, planned = look, evidence, self.looks.planned
        self.p_value = min(self.p_value, planned.repeated_p_value(drop_p_value(self.clusters), look))
        self.of_gain = min(self.of_gain, planned.repeated_p_value(drop_p_value(exchanged(self.clusters)), look))
        self.bound = min(self.bound, _bound(self.clusters, planned.level(alpha, look)) + correction)

    def verdict(self, margin: float) -> Verdict:
        verdict: Verdict = "pass" if self.bound < margin else "regression" if self.shown else "inconclusive"
        return "invalid" if self.looks.vacuous and verdict != "regression" else verdict

    def may_settle(self, margin: float) -> bool:
        """Return whether more trials would not change the verdict. A small drop that is shown may still pass."""
        verdict = self.verdict(margin)
        return verdict in ("pass", "invalid") or (verdict == "regression" and self.difference <= -margin)

    @property
    def difference(self) -> float:
        if isinstance(self.clusters, Unpaired):
            return self.clusters.after.rate.rate - self.clusters.before.rate.rate
        return self.clusters.difference if self.clusters.n else 0.0

    def needed(self, margin: float, alpha: float) -> int | None:
        """Return about how many trials rule the margin out; None if that is not known, or only more labels would."""
        if self.errors is None and not isinstance(self.clusters, Labelled):
            return _needed(self.clusters, margin, alpha)
        needed = _needed(self.clusters, margin * (self.errors.apart if self.errors else 1.0), alpha)
        return needed if needed and needed > self.clusters.n + 1 else None

    def verdict_now(self, margin: float, alpha: float, hypotheses: int = 1) -> BandVerdict:
        """Return the verdict. alpha: the level of the next run. hypotheses: how many Holm's correction counts."""
        verdict, samples = self.verdict(margin), self.clusters
        needed, to_show = None, None
        if verdict == "inconclusive":
            needed, to_show = self.needed(margin, alpha), _needed_to_show(samples, margin, alpha / hypotheses)
        pairs = Averaged(()) if isinstance(samples, Unpaired) else samples
        return BandVerdict(
            band=self.band,
            verdict=verdict,
            n=samples.n,
            clusters=samples.clusters if isinstance(samples, Unpaired) else len(samples.answers),
            gained=pairs.gained,
            lost=pairs.lost,
            bound=self.bound,
            p_value=self.p_value,
            shown=self.shown,
            needed=min((number for number in (needed, to_show) if number is not None), default=None),
            needed_to_show=to_show is not None and (needed is None or to_show < needed),
            reason=self.looks.vacuous if verdict == "invalid" else "",
            improved=verdict == "pass" and self.gained,
            unpaired=Both(samples.before.rate, samples.after.rate) if isinstance(samples, Unpaired) else None,
            look=self.look,
            looks=self.looks.planned.number,
            settled=self.settled,
            asking=self.asking,
        )


def _needed_to_show(samples: Evidenced, margin: float, alpha: float) -> int | None:
    """Return about how many trials show the observed drop if it is the true one; None if it is below half the margin.

    So small a drop may be chance.
    """
    if not samples.n or samples.difference > -margin / 2:
        return None
    if isinstance(samples, Unpaired):
        shown = unpaired.trials_for_drop(-samples.difference, samples.before.rate.rate, alpha, OFTEN)
        return None if shown is None else max(samples.n + 1, math.ceil(shown * samples.before.effect))
    if isinstance(samples, Labelled):  # more trials need labels, too, which is left out
        return _needed_to_show(samples.known, margin, alpha)
    from longctx.stats.extension import trials_to_show

    trials = trials_to_show(samples, alpha, OFTEN)
    if trials is None or samples.independent:
        return trials
    return max(trials, math.ceil(_clusters_to_show(samples, alpha) * samples.n / len(samples.answers)))


def _clusters_to_show(samples: Averaged, alpha: float) -> int:
    """Return how many clusters show the drop by the test of few clusters, if others lose as those that were measured.

    From LEAST_CLUSTERS on, that test is not used.
    """
    measured = [math.fsum(cluster) for cluster in samples.changes]
    size = samples.n / len(measured)
    for clusters in range(max(LEAST_CLUSTERS_OF_DROP, len(measured) + 1), LEAST_CLUSTERS):
        sums = [*measured, *(samples.difference * size for _ in range(clusters - len(measured)))]
        if p_value_over_clusters(sums, round(clusters * size)) < alpha:
            return clusters
    return max(LEAST_CLUSTERS, len(measured) + 1)


def _needed(samples: Evidenced, margin: float, alpha: float) -> int | None:
    """Return about how many trials rule the margin out; None if that is not known."""
    if isinstance(samples, Unpaired):
        rate = samples.before.rate.rate
        trials = unpaired.trials_to_pass(rate, margin, alpha, OFTEN) if 0 < rate < 1 else None
        return None if trials is None else math.ceil(trials * samples.before.effect)
    if isinstance(samples, Labelled):
        return _needed(samples.known, margin, alpha)
    from longctx.stats.extension import trials_to_rule_out

    needed = trials_to_rule_out(samples, margin, alpha, OFTEN)
    if needed is None or enough(samples):
        return needed
    return max(needed, math.ceil(LEAST_CLUSTERS * samples.n / len(samples.answers)))


def _show(judged: Sequence[Tallied[_Judged]], further: Sequence[float], alpha: float) -> None:
    """Note in which bands a drop is shown, with Holm's correction over all of them and the p-values `further`."""
    for bands in zip(*judged, strict=True):
        for band, shown in zip(bands, holm([*(band.p_value for band in bands), *further], alpha), strict=False):
            band.shown = shown
        for band, gained in zip(bands, holm([band.of_gain for band in bands], alpha), strict=True):
            band.gained = gained


def interval(clusters: Evidenced, alpha: float = 0.05) -> tuple[float, float]:
    """Return the two-sided interval of the difference at confidence 1 - alpha, from the bounds of a drop and a gain."""
    if isinstance(clusters, Unpaired):
        return clusters.interval(NormalDist().inv_cdf(1 - alpha / 2))
    return -_bound(clusters, alpha / 2), _bound(exchanged(clusters), alpha / 2)


def exchanged(clusters: Evidenced) -> Evidenced:
    """Return the changes as if the runs were exchanged."""
    if isinstance(clusters, Unpaired):
        return Unpaired(clusters.after, clusters.before)
    return clusters.reversed()


ORDER: tuple[Verdict, ...] = ("regression", "invalid", "inconclusive", "pass")
"""The verdicts of bands, the one that outranks all others first."""


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on several bands or tests; inconclusive if there are none."""
    return min(verdicts, key=ORDER.index, default="inconclusive")


def enough(evidence: Evidenced, least: int = LEAST_CLUSTERS) -> bool:
    """Return whether there are enough clusters to rule a drop out, or all trials are independent."""
    if isinstance(evidence, Unpaired):
        return all(sample.clusters is None or sample.clusters >= least for sample in evidence.samples)
    return len(evidence.answers) >= least or evidence.independent


def drop_p_value(evidence: Evidenced) -> float:
    """Return the p-value of the hypothesis that there is no drop."""
    if not enough(evidence, LEAST_CLUSTERS_OF_DROP):
        return 1.0
    if isinstance(evidence, Unpaired):
        return evidence.drop_p_value()
    if enough(evidence):
        return _p_value(evidence, mid=evidence.independent)
    sums = [math.fsum(cluster) for cluster in evidence.changes]
    return max(_p_value(evidence), p_value_over_clusters(sums, evidence.n))


def _p_value(evidence: Averaged | Labelled, mid: bool = False) -> float:
    return evidence.drop_p_value() if isinstance(evidence, Labelled) else evidence.drop_p_value(mid)


def _bound(evidence: Evidenced, alpha: float) -> float:
    return evidence.drop_bound(alpha) if enough(evidence) else 1.0
