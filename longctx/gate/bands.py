"""The verdict on each band of lengths, from paired trials: pass, regression or inconclusive.

Each band is a hypothesis of its own, so that a collapse at the long end is not averaged away. A band passes if its drop
is shown to be smaller than the margin. It is a regression if a drop above zero is shown, with Holm's correction over
all bands, and the band does not pass. Otherwise it is inconclusive. A band whose baseline has nothing to lose
(gate/validity.py) is invalid unless a drop is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

from longctx.gate.defaults import ALPHA, MARGIN
from longctx.stats import bound, sequential, signflip
from longctx.stats.bound import design_effect, trials_to_settle
from longctx.stats.rates import Rate, holm
from longctx.stats.unpaired import Unpaired, trials_to_pass

if TYPE_CHECKING:
    from longctx.results.subject import Subject

Verdict = Literal["pass", "regression", "inconclusive", "invalid"]

EARLY_STOP = "early stop"
"""The error of a row whose trial was not asked because the verdict was settled."""
EARLY_SHARE = 0.5
"""The share of alpha that a run with early stop spends on its looks; the test at its end has the rest."""
LEAST_CLUSTERS = 15
"""With fewer clusters of several trials nothing is shown, neither a drop nor its absence.

In simulations of changes that overturn whole sections (benchmarks/gate/RESULTS.md), 10 clusters or fewer passed a drop
of the margin in more than 5% of the gates; 15 did not. False alarms require no more clusters: in a gate of nine bands
they stay at 5% with any number. For a single band at low rates such a change raises a false alarm in 9 to 14% with 15
to 60 clusters, because the test assumes that losses are spread over the sections as gains are.
"""


@dataclass(frozen=True, slots=True)
class Band:
    """A family's trials in one range of lengths. subject: the subject they belong to, if a run has several."""

    family: str
    name: str
    subject: Subject | None = None

    def __str__(self) -> str:
        return f"{self.family}, {self.name}"


@dataclass(frozen=True, slots=True)
class BandVerdict:
    """The verdict on one band.

    n: pairs. clusters: how many clusters they form. gained, lost: the discordant pairs. bound: the upper bound of the
    drop, a share of trials. p_value: of the hypothesis that there is no drop. shown: whether a drop is shown. needed:
    about how many trials settle an inconclusive band with 90% probability if nothing has changed; None otherwise.
    same_answers: the run replayed the baseline's own answers and judged them the same. reason: why it is invalid.
    """

    band: Band
    verdict: Verdict
    n: int
    clusters: int
    gained: int
    lost: int
    bound: float
    p_value: float
    shown: bool
    needed: int | None
    same_answers: bool = False
    reason: str = ""
    improved: bool = False
    """Whether it passes and a gain is shown."""
    unpaired: tuple[Rate, Rate] | None = None
    """The rates of baseline and run where their items do not correspond; None where trials are paired."""

    @property
    def difference(self) -> float:
        """The rate of the run minus the rate of the baseline."""
        if self.unpaired:
            return self.unpaired[1].rate - self.unpaired[0].rate if self.n else 0.0
        return (self.gained - self.lost) / self.n if self.n else 0.0

    @property
    def within_margin(self) -> bool:
        """Whether a drop is shown, but also shown to be smaller than the margin."""
        return self.verdict == "pass" and self.shown


Clusters = Sequence[Sequence[int]]
"""The changes of the trials in each cluster: 1 gained, -1 lost, 0 unchanged."""


def judge(
    bands: Mapping[Band, Clusters | Unpaired],
    margin: float = MARGIN,
    alpha: float = ALPHA,
    further: Sequence[float] = (),
    at_any_time: bool = False,
) -> list[BandVerdict]:
    """Return a verdict for each band, in their order.

    further: the p-values of stated minimums, which Holm's correction counts, too. at_any_time: judge by evidence that
    is valid whenever a run is stopped, rather than only at an end that was fixed beforehand.
    """
    p_values = [_p_value(clusters, at_any_time) for clusters in bands.values()]
    shown = holm([*p_values, *further], alpha)[: len(p_values)]
    verdicts = [
        _band(band, clusters, p_value, is_shown, margin, alpha, at_any_time)
        for (band, clusters), p_value, is_shown in zip(bands.items(), p_values, shown, strict=True)
    ]
    gained = holm([_p_value(reversed_(clusters), at_any_time) for clusters in bands.values()], alpha)
    return [
        replace(verdict, improved=verdict.verdict == "pass" and gains)
        for verdict, gains in zip(verdicts, gained, strict=True)
    ]


def interval(clusters: Clusters | Unpaired, alpha: float = 0.05) -> tuple[float, float]:
    """Return the two-sided interval of the difference at confidence 1 - alpha, from the bounds of a drop and a gain."""
    if isinstance(clusters, Unpaired):
        return clusters.interval(NormalDist().inv_cdf(1 - alpha / 2))
    if not enough(clusters):
        return -1.0, 1.0
    return -bound.drop_bound(clusters, alpha / 2), _bound(reversed_(clusters), alpha / 2, at_any_time=False)


def reversed_(clusters: Clusters | Unpaired) -> Clusters | Unpaired:
    """Return the changes as if the runs were exchanged."""
    if isinstance(clusters, Unpaired):
        return Unpaired(clusters.after, clusters.before)
    return [[-change for change in cluster] for cluster in clusters]


ORDER: tuple[Verdict, ...] = ("regression", "invalid", "inconclusive", "pass")
"""The verdicts of bands, the one that outranks all others first."""


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on several bands or families; without any it is inconclusive."""
    return min(verdicts, key=ORDER.index, default="inconclusive")


def enough(clusters: Clusters) -> bool:
    """Return whether there are enough clusters to show anything, or all trials are independent."""
    return len(clusters) >= LEAST_CLUSTERS or max(map(len, clusters), default=1) == 1


def _p_value(clusters: Clusters | Unpaired, at_any_time: bool) -> float:
    if isinstance(clusters, Unpaired):
        return 1.0 if at_any_time else clusters.drop_p_value()
    test = sequential.drop_p_value if at_any_time else signflip.drop_p_value
    return test(list(map(sum, clusters))) if enough(clusters) else 1.0


def _bound(clusters: Clusters | Unpaired, alpha: float, at_any_time: bool) -> float:
    if isinstance(clusters, Unpaired):  # whose interval holds at an end that was fixed beforehand
        return 1.0 if at_any_time else clusters.drop_bound(alpha)
    upper = sequential.drop_bound if at_any_time else bound.drop_bound
    return upper(clusters, alpha) if enough(clusters) else 1.0


def _band(
    band: Band,
    clusters: Clusters | Unpaired,
    p_value: float,
    shown: bool,
    margin: float,
    alpha: float,
    at_any_time: bool,
) -> BandVerdict:
    if isinstance(clusters, Unpaired):
        return _of_samples(band, clusters, p_value, shown, margin, alpha, at_any_time)
    changes = list(chain.from_iterable(clusters))
    n, gained, lost = len(changes), changes.count(1), changes.count(-1)
    upper = _bound(clusters, alpha, at_any_time)
    verdict: Verdict = "pass" if upper < margin else "regression" if shown else "inconclusive"
    discordance = (gained + lost + 1) / (n + 2)
    needed = None
    if verdict == "inconclusive":
        needed = trials_to_settle(discordance, margin, alpha, design_effect(clusters), n / len(clusters) if n else 1.0)
    return BandVerdict(
        band=band,
        verdict=verdict,
        n=n,
        clusters=len(clusters),
        gained=gained,
        lost=lost,
        bound=upper,
        p_value=p_value,
        shown=shown,
        needed=needed,
    )


def _of_samples(
    band: Band, samples: Unpaired, p_value: float, shown: bool, margin: float, alpha: float, at_any_time: bool
) -> BandVerdict:
    upper = _bound(samples, alpha, at_any_time)
    verdict: Verdict = "pass" if upper < margin else "regression" if shown else "inconclusive"
    rate, needed = samples.before.rate.rate, None
    if verdict == "inconclusive" and 0 < rate < 1:
        trials = trials_to_pass(rate, margin, alpha, 0.9)
        needed = None if trials is None else math.ceil(trials * samples.before.effect)
    return BandVerdict(
        band=band,
        verdict=verdict,
        n=samples.n,
        clusters=samples.n,
        gained=0,
        lost=0,
        bound=upper,
        p_value=p_value,
        shown=shown,
        needed=needed,
        unpaired=(samples.before.rate, samples.after.rate),
    )
