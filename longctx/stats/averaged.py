"""Trials under two conditions, answered once or several times under each: an exact test of a drop, and its bound.

The test permutes whole runs within each cluster: if nothing changed, every choice of the later runs among all of its
runs is as likely (E. J. G. Pitman, Supplement to the JRSS 4, 1937). With one run on each side it is
`sign_flip_p_value`, which is faster.

The bound respects clusters and stays valid at rates of 0% and 100%. For independent trials it is that of a score test.
The variance of the mean change is that of the likeliest distribution of changes whose mean is the drop in question (A.
B. Owen, "Empirical likelihood ratio confidence intervals for a single functional", Biometrika 75, 1988), with room for
losses that were not observed. With one run on each side it is Tango's (stats/paired.py), which is faster. The variance
that was observed, in its place, passes a drop of the margin in up to 12% of simulated gates (benchmarks/gate/RUNS.md).
For clustered trials it is the larger of two bounds: that one with the effective number of trials (the design effect of
L. Kish, "Survey Sampling", 1965), which is above zero even if no change was observed; and that over clusters
(stats/bound.py), which allows for a few clusters that contain most of a drop. The first alone passes a drop of exactly
the margin too often (benchmarks/gate/RESULTS.md).

The exact sign-flip test for a drop, over clusters of paired trials.

If nothing changed, each cluster's sum of changes is as likely to have the opposite sign (E. J. G. Pitman, Supplement to
the JRSS 4, 1937). With one trial per cluster this is McNemar's exact test, one-sided.

The mid-p-value counts half of the probability of what was observed (H. O. Lancaster, "Significance tests in discrete
distributions", JASA 56, 1961). The number of pairs that change is random, so that over all of its values the test keeps
its level where up to half of the pairs change (benchmarks/gate/RUNS.md), and finds more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, starmap
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from longctx.stats.bound import over_clusters
from longctx.stats.paired import Paired, tango, with_interval
from longctx.stats.rates import Z95, design_effect
from longctx.stats.search import root

AnswerPair = tuple[tuple[float, ...], tuple[float, ...]]
"""The credit of a trial in each earlier run, and in each later one: 1 if it was right, 0 if it was wrong."""
Chances = NDArray[np.float64]
"""The chance of each whole number from 0 on."""
LONG = 1_000
"""The least length of two lists of chances that are added by Fourier transforms."""
UNIT = 100
"""The test counts partial credit in hundredths."""


@dataclass(frozen=True)
class Averaged:
    """Trials under two conditions, with one answer or several to each, by cluster."""

    answers: Sequence[Sequence[AnswerPair]]

    @classmethod
    def of_changes(cls, clusters: Iterable[Iterable[float]]) -> Averaged:
        """Return trials with one answer under each condition. clusters: the changes of their credit, -1 to 1."""
        return cls([[((max(0, -change),), (max(0, change),)) for change in cluster] for cluster in clusters])

    @cached_property
    def counts(self) -> Counter[AnswerPair]:
        """How many trials have these answers. Few differ: what follows from them is computed once for each."""
        return Counter(chain.from_iterable(self.answers))

    @cached_property
    def several(self) -> bool:
        """Whether any trial has several answers on a side, or partial credit."""
        return self.partial or any(len(before) > 1 or len(after) > 1 for before, after in self.counts)

    @cached_property
    def partial(self) -> bool:
        """Whether any answer has partial credit."""
        return any(credit % 1 for trial in self.counts for side in trial for credit in side)

    @cached_property
    def _change_of(self) -> dict[AnswerPair, float]:
        return {(before, after): _mean(after) - _mean(before) for before, after in self.counts}

    @cached_property
    def changes(self) -> list[list[float]]:
        """The change of each trial: the mean of its later answers minus that of its earlier ones, by cluster."""
        return [[self._change_of[trial] for trial in cluster] for cluster in self.answers]

    @cached_property
    def change_counts(self) -> Counter[float]:
        """How many trials changed by so much."""
        counts: Counter[float] = Counter()
        for answers, number in self.counts.items():
            counts[self._change_of[answers]] += number
        return counts

    @cached_property
    def n(self) -> int:
        """The trials."""
        return self.counts.total()

    @cached_property
    def independent(self) -> bool:
        """Whether no two trials share a cluster."""
        return max(map(len, self.answers), default=1) == 1

    @cached_property
    def difference(self) -> float:
        """The accuracy after the change minus that before, -1 to 1."""
        return math.fsum(self.change_counts.elements()) / self.n if self.n else math.nan

    @cached_property
    def effect(self) -> float:
        """How many of the trials carry as much information as one independent trial."""
        return 1.0 if self.independent else design_effect(self.changes)

    def interval(self, z: float = Z95) -> tuple[float, float]:
        """Return the two-sided interval of the difference; (-1, 1) without trials."""
        alpha = NormalDist().cdf(-z)
        return -self.drop_bound(alpha), self.reversed().drop_bound(alpha)

    def reversed(self) -> Averaged:
        """Return the trials as if the runs before and after were exchanged."""
        return self._reversed

    @cached_property
    def _reversed(self) -> Averaged:
        known = {(before, after): (after, before) for before, after in self.counts}
        if self.independent and not self.several:  # their order does not matter
            alone = ([[known[trial]]] * number for trial, number in self.counts.items())
            return Averaged([*chain.from_iterable(alone)])
        return Averaged([[known[trial] for trial in cluster] for cluster in self.answers])

    @property
    def gained(self) -> float:
        """The sum of the changes for the better."""
        return self._sum_of(lambda change: max(0, change))

    @property
    def lost(self) -> float:
        """The sum of the changes for the worse, as a positive number."""
        return self._sum_of(lambda change: max(0, -change))

    def _sum_of(self, part: Callable[[float], float]) -> float:
        """Return the sum of a part of each change, which is an integer if all of its terms are."""
        if self.several:
            return round(sum(filter(None, map(part, chain.from_iterable(self.changes)))), 6)
        return round(sum(part(change) * number for change, number in self.change_counts.items()), 6)

    def drop_p_value(self, mid: bool = False) -> float:
        """Return the probability of so few right answers after the change, or fewer, if nothing changed.

        mid: whether it is the mid-p-value.
        """
        if not self.several:
            alone = self.change_counts.elements() if self.independent else map(sum, self.changes)
            return sign_flip_p_value([*map(int, filter(None, alone))], mid)
        observed, unit = 0, UNIT if self.partial else 1
        sums: list[Chances] = []
        for cluster in self.answers:
            before, after = (_totals([answers[side] for answers in cluster], unit) for side in (0, 1))
            totals = (*before, *after)
            if len(set(totals)) > 1:
                observed += sum(after) - len(after) * min(totals)
                sums.append(_sums(tuple(sorted(total - min(totals) for total in totals)), len(after)))
        chance = _added(sums)
        half = mid * chance[observed] / 2 if len(chance) > 1 else 0.0
        return min(1.0, float(chance[: observed + 1].sum() - half))

    def drop_bound(self, alpha: float = 0.05) -> float:
        """Return the upper end of the one-sided interval of the drop at confidence 1 - alpha, between -1 and 1.

        Without trials it is 1.
        """
        if not self.n:
            return 1.0
        z = NormalDist().inv_cdf(1 - alpha)
        weights: dict[float, float] = {}
        for change, count in self.change_counts.items():
            weights[round(change, 9)] = weights.get(round(change, 9), 0.0) + count / self.effect
        if weights.keys() <= {-1, 0, 1}:
            bound = -tango(weights.get(1, 0.0), weights.get(-1, 0.0), self.n / self.effect, z)[0]
        else:
            bound = -root(lambda delta: score(weights, delta) - z, -1.0, self.difference)
        if self.independent:
            return bound
        sums = [math.fsum(cluster) for cluster in self.changes if cluster]
        return max(bound, over_clusters(sums, self.n, alpha))

    def __str__(self) -> str:
        return f"{with_interval(self.difference, self.interval())} n={self.n}" if self.n else "not measured"


def difference(clusters: Iterable[Sequence[AnswerPair]]) -> Paired | Averaged:
    """Return the difference between two conditions: counts where trials are independent and answered once.

    clusters: the answers to the trials of each. If all are of one cluster, the difference is that of this cluster.
    """
    answers = [cluster for cluster in clusters if cluster]
    averaged = Averaged([[trial] for trial in answers[0]] if len(answers) == 1 else answers)
    if averaged.several or not averaged.independent:
        return averaged
    return Paired(averaged.change_counts[1], averaged.change_counts[-1], averaged.n)


def score(weights: dict[float, float], delta: float) -> float:
    """Return the standardized distance of the mean change from `delta`, which is no larger. weights: of each change."""
    n = math.fsum(weights.values())
    distance = math.fsum(change * weight for change, weight in weights.items()) / n - delta
    if distance <= 0:
        return 0.0
    chances = _likeliest(weights, n, delta)
    variance = math.fsum(chance * (change - delta) ** 2 for change, chance in chances.items())
    return distance / math.sqrt(variance / n) if variance > 0 else math.inf


def _likeliest(weights: dict[float, float], n: float, delta: float) -> dict[float, float]:
    """Return the likeliest distribution of changes whose mean is `delta`, below the observed one.

    Each weight is divided by 1 + tilt (change - delta). If no tilt has that mean, losses of a complete trial were
    possible though none was observed.
    """

    def excess(tilt: float) -> float:
        return math.fsum(
            weight * (change - delta) / (1 + tilt * (change - delta)) for change, weight in weights.items()
        )

    most = 1 / (1 + delta) if delta > -1 else math.inf
    if math.isinf(most):
        return {-1.0: 1.0}
    if -1.0 in weights:
        most *= 1 - 1e-12
    tilt = root(excess, 0.0, most)
    chances = {change: weight / n / (1 + tilt * (change - delta)) for change, weight in weights.items()}
    chances[-1.0] = chances.get(-1.0, 0.0) + max(0.0, 1 - math.fsum(chances.values()))
    return chances


def _mean(answers: Sequence[float]) -> float:
    """Return the mean credit; that of a single answer, which is right or wrong, is an integer."""
    if len(answers) == 1:
        [credit] = answers
        return credit if credit % 1 else int(credit)
    return sum(answers) / len(answers)


def _totals(answers: Sequence[Sequence[float]], unit: int) -> list[int]:
    """Return the credit of a cluster in each run that answered all of its trials, in parts of which `unit` are 1."""
    return [sum(round(unit * credit) for credit in run) for run in zip(*answers, strict=False)]


def _added(sums: Sequence[Chances]) -> Chances:
    """Return the chances of the total of independent sums, given those of each: neighbours are added first.

    So n of them take about as long as n·log²(n), since long ones are added by Fourier transforms.
    """
    chances = [*sums] or [np.ones(1)]
    while len(chances) > 1:
        pairs = zip(chances[::2], chances[1::2], strict=False)
        chances = [*starmap(_convolved, pairs), *chances[len(chances) & ~1 :]]
    return chances[0]


def _convolved(one: Chances, other: Chances) -> Chances:
    if min(len(one), len(other)) < LONG:
        return np.convolve(one, other)
    size = len(one) + len(other) - 1
    whole = 1 << (size - 1).bit_length()
    product = np.fft.irfft(np.fft.rfft(one, whole) * np.fft.rfft(other, whole), whole)[:size]
    return np.maximum(product, 0.0)  # what rounding leaves of a chance of nearly none


@lru_cache(maxsize=4096)
def _sums(totals: tuple[int, ...], drawn: int) -> Chances:
    """Return the probability of each sum of `drawn` of these totals, all choices being as likely."""
    ways = np.zeros((drawn + 1, sum(totals) + 1))
    ways[0, 0] = 1
    for total in totals:
        for number in range(drawn, 0, -1):
            ways[number, total:] += ways[number - 1, : ways.shape[1] - total]
    chances: Chances = ways[drawn] / math.comb(len(totals), drawn)
    return chances


def sign_flip_p_value(sums: Sequence[int], mid: bool = False) -> float:
    """Return the p-value of a drop as large as the observed one, exact over all assignments of signs.

    sums: for each cluster, pairs gained minus pairs lost. mid: whether it is the mid-p-value. Without any change the
    p-value is 1.
    """
    steps = Counter(abs(total) for total in sums if total)
    if not steps:
        return 1.0
    chance = _added([_of_equal(*step) for step in sorted(steps.items())])
    gained = sum(total for total in sums if total > 0)
    return min(1.0, float(chance[: gained + 1].sum() - mid * chance[gained] / 2))


def _of_equal(step: int, number: int) -> Chances:
    """Return the chance of each total that clusters gain together: each of `number` gains `step` or nothing."""
    heads = np.arange(1, number + 1)
    log_choose = np.cumsum(np.log((number + 1 - heads) / heads))
    chances = np.zeros(step * number + 1)
    chances[::step] = np.exp(np.append(0.0, log_choose) - number * math.log(2))
    return chances
