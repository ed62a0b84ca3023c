"""The power of a gate before any request is sent: what the trials of a band can show, and how many trials it takes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from longctx.gate.bands import LEAST_CLUSTERS, RUN, Band
from longctx.gate.rules import ALPHA, MARGIN
from longctx.results.grouping import grouped
from longctx.results.row import Row, Subject
from longctx.stats import pass_chance, power, unpaired
from longctx.stats.bound import trials_to_settle
from longctx.stats.group_sequential import planned
from longctx.vocabulary.looks import DEFAULT_LOOKS, LooksPlan
from longctx.vocabulary.point import is_check


@dataclass(frozen=True, slots=True)
class Target:
    """The target of the plan of a gate.

    bands, minimums: how many bands and stated minimums the gate tests, for Holm's correction.
    """

    margin: float = MARGIN
    """Its non-inferiority margin, a share of trials."""
    alpha: float = ALPHA
    """The probability of a false alarm."""
    power: float = 0.9
    """The probability to reach that `drop`, a share of trials, is shown, and that an unchanged model passes."""
    drop: float = 0.1
    bands: int = 1
    minimums: int = 0
    looks: LooksPlan = DEFAULT_LOOKS
    """The plan of its looks."""
    run_margin: float | None = None
    """The margin that is stated of all bands together, which then must pass, too."""

    @property
    def hypotheses(self) -> int:
        """How many hypotheses Holm's correction counts."""
        return self.bands + self.minimums + (self.run_margin is not None)

    @property
    def of_run(self) -> Target | None:
        """The target of all bands together, if a margin is stated of them."""
        return None if self.run_margin is None else replace(self, margin=min(self.run_margin, self.margin))

    @property
    def first_step(self) -> float:
        """The alpha of Holm's first step, the strictest: a drop is shown there whatever the other hypotheses show."""
        return self.alpha / self.hypotheses


OFTEN = 0.8
"""A baseline against which an unchanged model passes less often is unlucky."""
PULL_REQUESTS = 50
"""The number of unchanged pull requests in the life of a baseline."""
DRAWS = 2000
"""The baselines that are drawn to count the unlucky ones. They are frozen."""
NORMAL = NormalDist()
IN_CONTEXTS = 0.05
"""The intra-cluster correlation that is assumed of different questions about one context."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """The assumptions about a band. The defaults are cautious guesses."""

    discordance: float = 0.1
    """The share of pairs that change by chance."""
    rate: float = 0.9
    """The share of right answers, 0 < rate < 1."""
    correlation: float = 1.0
    """The intra-cluster correlation of changes, between 0 (independent trials) and 1 (a cluster is one trial)."""

    @classmethod
    def guess(cls, in_contexts: bool) -> Assumed:
        """Return the guesses for a band. in_contexts: whether its clusters are questions about one context."""
        return cls(correlation=IN_CONTEXTS if in_contexts else 1.0)

    @property
    def gains_from_pairing(self) -> bool:
        """Whether asking the same trials twice needs fewer of them than asking different ones."""
        return self.discordance < unpaired.discordance(self.rate)


@dataclass(frozen=True, slots=True)
class Needed:
    """The trials that each run needs if both ask the same ones (paired), or different ones (unpaired).

    None: more than a million, or the accuracy is too low for such a drop.
    """

    paired: int | None
    unpaired: int | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """The drops that one band can detect.

    smallest_paired, smallest_unpaired: the smallest drop that its trials show with the target's power; None if there is
    none.
    """

    smallest_paired: float | None
    smallest_unpaired: float | None
    passing: float
    """The probability of a pass if nothing changed."""
    for_drop: Needed
    """The trials needed to show the target's drop."""
    to_pass: Needed
    """The trials needed to pass with the target's power."""


@dataclass(frozen=True, slots=True)
class Load:
    """The requests of one run in a band."""

    trials: int
    clusters: int
    input_tokens: int
    output_tokens: int
    """The most that the replies can take."""
    price: float | None
    """USD, asked directly, with replies as long as they are expected to be; None if it is not known."""
    batch_price: float | None = None
    """In batches, or directly where the prompt cache makes that cheaper."""
    most: float | None = None
    """USD with replies of full length, asked directly; None if it is `price`."""
    in_contexts: bool = False
    """Whether its clusters are several questions about one context."""
    thinking: tuple[float, float] = (0.0, 0.0)
    """How much of the price, directly and in batches, is for thinking that the model's profile assumes."""

    def tokens_of(self, trials: int) -> int:
        """Return the input and output tokens of this number of trials of the same lengths."""
        return round((self.input_tokens + self.output_tokens) * trials / self.trials)

    def clusters_of(self, trials: int) -> int:
        return math.ceil(self.clusters * trials / self.trials - 1e-9)

    def price_of(self, trials: int) -> float | None:
        return None if self.price is None else self.price * trials / self.trials


@dataclass(frozen=True, slots=True)
class BandPlan:
    """The plan of one band."""

    subject: Subject
    band: Band
    load: Load
    assumed: Assumed
    seen: int
    """The number of pairs of earlier runs that `assumed` is estimated from; 0 if it was guessed."""
    own: bool
    """Whether these runs measured this subject."""
    outlook: Outlook

    @property
    def sized(self) -> Sized:
        return self.load.trials, self.load.clusters, self.assumed


def outlook(trials: int, clusters: int, assumed: Assumed, target: Target) -> Outlook:
    """Return what a band with these numbers of trials and clusters shows. clusters == trials: all are independent."""
    size, deff, fewest, n = _effective(trials, clusters, assumed)
    needed = functools.partial(_scaled, deff=deff, fewest=fewest)
    to_pass, to_pass_unpaired = _to_pass(assumed, target)
    d, rate, alpha = assumed.discordance, assumed.rate, target.first_step
    paired, unpaired_trials = _for_drop(assumed, target) if target.drop <= rate else (None, None)
    smallest = power.smallest_drop(n, d, alpha, target.power) if n else None
    return Outlook(
        smallest_paired=smallest if smallest is not None and smallest <= rate else None,
        smallest_unpaired=unpaired.smallest_drop(n, rate, alpha, target.power) if n else None,
        passing=passing(trials, clusters, assumed, target),
        for_drop=Needed(needed(paired), needed(unpaired_trials)),
        to_pass=Needed(
            needed(to_pass) if clusters == trials else max(fewest, _in_clusters(d, deff, size, target)),
            needed(to_pass_unpaired),
        ),
    )


def share_asked(trials: int, clusters: int, assumed: Assumed, target: Target) -> float:
    """Return the share of a band's trials that a gate asks in looks, on average, if nothing has changed.

    Where trials come in clusters it is approximate: their effective number is taken as independent.
    """
    n, looks = (
        effective(trials, clusters, assumed),
        planned(target.looks, clusters, trials, target.margin, target.alpha),
    )
    if n < looks.number:
        return 1.0
    own = clusters if clusters < trials else None
    return pass_chance.share_until_pass(n, assumed.discordance, target.margin, target.alpha, looks, own)


Sized = tuple[int, int, Assumed]
"""A band: its trials, their clusters, and what is assumed of it."""


def size_of_all_bands(bands: Sequence[Sized]) -> Sized:
    """Return all bands as one, with their mean rate and discordance. Its effective number of trials is theirs."""
    trials, clusters = sum(trials for trials, _, _ in bands), sum(clusters for _, clusters, _ in bands)
    discordance, rate = (
        math.fsum(getattr(assumed, name) * number for number, _, assumed in bands) / trials
        for name in ("discordance", "rate")
    )
    effects = math.fsum(number / kish_design_effect(number / of, each.correlation) for number, of, each in bands)
    correlation = 0.0 if clusters == trials else (trials / effects - 1) / (trials / clusters - 1)
    return trials, clusters, Assumed(discordance, rate, min(1.0, correlation))


def plan_of_run(plans: Sequence[BandPlan], target: Target) -> BandPlan | None:
    """Return the plan of all bands together; None if the run has no margin of its own, or no bands."""
    if target.of_run is None or not plans:
        return None
    trials, clusters, assumed = size_of_all_bands([plan.sized for plan in plans])
    loads, priced = [plan.load for plan in plans], [plan.load.price for plan in plans]
    load = Load(
        trials,
        clusters,
        sum(load.input_tokens for load in loads),
        sum(load.output_tokens for load in loads),
        None if None in priced else math.fsum(price or 0.0 for price in priced),
    )
    shows = outlook(trials, clusters, assumed, target.of_run)
    return BandPlan(plans[0].subject, RUN, load, assumed, min(plan.seen for plan in plans), plans[0].own, shows)


def in_runs(assumed: Assumed, runs: int) -> Assumed:
    """Return what is assumed of a band against a baseline of this many runs, whose mean varies less than one run.

    Half of the discordance is the chance variation of one run, and its mean over runs has a share of it.
    """
    return replace(assumed, discordance=assumed.discordance * (1 + 1 / runs) / 2)


def whole_passing(bands: Sequence[Sized], target: Target, runs: int = 1) -> float:
    """Return the probability that all bands pass if nothing changed, and all together where a margin is stated.

    All together are taken as independent of each, which is cautious.
    """
    return math.prod(
        passing(trials, clusters, in_runs(assumed, runs), of)
        for (trials, clusters, assumed), of in _tested(bands, target)
    )


def _tested(bands: Sequence[Sized], target: Target) -> list[tuple[Sized, Target]]:
    """Return what must pass, and the target of each: the bands, and all of them together if a margin is stated."""
    return [
        *((band, target) for band in bands),
        *([(size_of_all_bands(bands), target.of_run)] if target.of_run and bands else []),
    ]


def against_baselines(bands: Sequence[Sized], target: Target) -> str:
    """Return how often an unchanged model passes against baselines of one, three and six runs."""
    one, three, six = (f"{whole_passing(bands, target, runs):.0%}" for runs in (1, 3, 6))
    return f"{one} against a baseline of one run, {three} of three runs, {six} of six"


def in_bands(bands: Sequence[Sized]) -> str:
    """Return which bands a probability is about, and whether their trials count one by one."""
    which = "the only band" if len(bands) == 1 else f"all {len(bands)} bands"
    if any(clusters < trials and assumed.correlation == 1 for trials, clusters, assumed in bands):
        return f"in {which}, where the trials of a cluster change together,"
    return f"in {which}"


def unlucky(bands: Sequence[Sized], target: Target, runs: int = 1) -> float:
    """Return the share of baselines against which an unchanged model passes in less than OFTEN of its runs."""
    return float((_passing_by_baseline(bands, target, runs) < OFTEN).mean())


def failing_once(bands: Sequence[Sized], target: Target, runs: int = 1) -> float:
    """Return the share of baselines against which at least one of PULL_REQUESTS unchanged ones does not pass."""
    return float(1 - (_passing_by_baseline(bands, target, runs) ** PULL_REQUESTS).mean())


def _passing_by_baseline(bands: Sequence[Sized], target: Target, runs: int) -> NDArray[np.float64]:
    """Return how often an unchanged model passes against each of DRAWS baselines.

    Half of the discordance is the chance variation of the baseline, which each gate against it meets
    again. Both variations are taken to be normal, with the exact probability of passing over all baselines.
    """
    luck = np.random.RandomState(0).standard_normal((DRAWS, len(bands)))
    passes = np.ones(DRAWS)
    weights = np.sqrt([trials for trials, _, _ in bands])
    luck_of_all = luck @ weights / math.sqrt(weights @ weights) if bands else np.zeros(DRAWS)
    for luck_of_band, ((trials, clusters, assumed), of) in zip(
        [*luck.T, luck_of_all], _tested(bands, target), strict=False
    ):
        overall = passing(trials, clusters, in_runs(assumed, runs), of)
        reach = NORMAL.inv_cdf(min(max(overall, 1e-9), 1 - 1e-9)) * math.sqrt(1 + 1 / runs)
        passes *= [NORMAL.cdf(reach - each / math.sqrt(runs)) for each in luck_of_band.tolist()]
    return passes


def passing(trials: int, clusters: int, assumed: Assumed, target: Target) -> float:
    """Return the probability that a band with these numbers of trials and clusters passes if nothing changed.

    It is that of the last look, at which nearly all bands pass that pass at any.
    """
    _, deff, _, n = _effective(trials, clusters, assumed)
    if not n:
        return 0.0
    looks = planned(target.looks, clusters, trials, target.margin, target.alpha)
    alpha = looks.level(target.alpha, looks.number)
    if clusters == trials:
        return pass_chance.pass_chance(trials, assumed.discordance, target.margin, alpha)
    return pass_chance.pass_chance_in_clusters(trials, clusters, assumed.discordance, deff, target.margin, alpha)


def effective(trials: int, clusters: int, assumed: Assumed) -> int:
    """Return the effective number of independent trials; 0 if there are too few clusters to show anything."""
    return _effective(trials, clusters, assumed)[-1]


def _effective(trials: int, clusters: int, assumed: Assumed) -> tuple[float, float, int, int]:
    """Return the mean trials per cluster, the design effect, the fewest trials that show anything, and `effective`."""
    size = trials / clusters
    deff = kish_design_effect(size, assumed.correlation)
    fewest = 1 if clusters == trials else math.ceil(LEAST_CLUSTERS * size)
    return size, deff, fewest, math.floor(trials / deff + 1e-9) if trials >= fewest else 0


def _in_clusters(discordance: float, deff: float, size: float, target: Target) -> int:
    """Return the trials needed to pass in clusters of this mean size. deff: their design effect."""
    trials = _in_looks(
        lambda level: trials_to_settle(discordance, target.margin, level, deff, size, target.power), target
    )
    assert trials is not None, "some number settles every margin above 0"
    return trials


def _in_looks(trials: Callable[[float], int | None], target: Target) -> int | None:
    """Return how many trials are needed at the level of the last look. trials: the number that a level needs."""
    needed = trials(target.alpha)
    if needed is not None:
        looks = planned(target.looks, needed, needed, target.margin, target.alpha)
        needed = trials(looks.level(target.alpha, looks.number))
    return needed


def kish_design_effect(size: float, correlation: float) -> float:
    """Return the design effect of clusters of this mean size with this correlation (L. Kish, 1965)."""
    return 1 + (size - 1) * correlation


def _scaled(effective: int | None, deff: float, fewest: int) -> int | None:
    return None if effective is None else max(fewest, math.ceil(effective * deff - 1e-9))


@functools.cache
def _for_drop(assumed: Assumed, target: Target) -> tuple[int | None, int | None]:
    """Return how many independent trials show the target's drop, paired and unpaired."""
    alpha = target.first_step
    return (
        power.trials_for_drop(target.drop, assumed.discordance, alpha, target.power),
        unpaired.trials_for_drop(target.drop, assumed.rate, alpha, target.power),
    )


@functools.cache
def _to_pass(assumed: Assumed, target: Target) -> tuple[int | None, int | None]:
    """Return how many independent trials pass with the target's power, paired and unpaired."""
    return (
        _in_looks(
            lambda alpha: pass_chance.trials_to_pass(assumed.discordance, target.margin, alpha, target.power), target
        ),
        unpaired.trials_to_pass(assumed.rate, target.margin, target.alpha, target.power),
    )


def repeated(rows: Sequence[Row]) -> list[tuple[int, int, Assumed]]:
    """Return the trials and clusters of each gated band, and its assumed discordance, estimated from repeats.

    A band without repeats has the cautious guess.
    """
    found = []
    judged = [row for row in rows if row.band is not None and row.measured and not is_check(row.test)]
    for members in grouped(judged, lambda row: (row.test, row.subject, row.band)).values():
        trials = grouped(members, lambda row: (row.cell, row.seed, row.item, row.trial))
        clusters = {row.cluster_key for row in members}
        guess = Assumed.guess(any((row.params.get("questions") or 1) != 1 for row in members))
        rates = [(sum(row.correct for row in answers) / len(answers), len(answers)) for answers in trials.values()]
        differing = [2 * rate * (1 - rate) * n / (n - 1) for rate, n in rates if n > 1]
        if differing:
            guess = replace(guess, discordance=(sum(differing) + 1) / (len(differing) + 2))
        found.append((len(trials), len(clusters), guess))
    return found
