"""What the trials of a band can show, and how many it would take: the gate's odds before anything is asked."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from longctx.gate.bands import LEAST_CLUSTERS, Band
from longctx.gate.defaults import ALPHA, MARGIN
from longctx.results.subject import Subject
from longctx.stats import power, unpaired
from longctx.stats.bound import trials_to_settle


@dataclass(frozen=True, slots=True)
class Target:
    """margin, alpha: of the gate. power: the probability with which a drop is to be shown, and no change to pass.

    drop: the one to show, a share of trials. hypotheses: bands and windows in the gate, which Holm's correction counts.
    """

    margin: float = MARGIN
    alpha: float = ALPHA
    power: float = 0.9
    drop: float = 0.1
    hypotheses: int = 1

    @property
    def first_step(self) -> float:
        """The alpha at which a drop is shown whatever else is: Holm's first step, the hardest."""
        return self.alpha / self.hypotheses


@dataclass(frozen=True, slots=True)
class Assumed:
    """discordance: the share of pairs that change though nothing has. rate: of right answers, 0 < rate < 1.

    together: how much trials of a cluster change together; 0: as if they stood alone, 1: as if they were one trial. The
    defaults are cautious guesses.
    """

    discordance: float = 0.1
    rate: float = 0.9
    together: float = 1.0

    @property
    def gains_from_pairing(self) -> bool:
        """Whether the same trials change less than others would."""
        return self.discordance < unpaired.discordance(self.rate)


@dataclass(frozen=True, slots=True)
class Needed:
    """Trials of each run, in each design. None: more than a million, or a drop that the rate leaves no room for."""

    paired: int | None
    unpaired: int | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What one band shows. smallest_paired, smallest_unpaired: the smallest drop that its trials show, if one does.

    passing: the probability of a pass if nothing changed. for_drop, to_pass: the trials it takes to show the drop that
    is wanted, and to pass with the probability that is.
    """

    smallest_paired: float | None
    smallest_unpaired: float | None
    passing: float
    for_drop: Needed
    to_pass: Needed


@dataclass(frozen=True, slots=True)
class Load:
    """What one run of a band asks. output_tokens: the most that replies may take. price: USD, None where not known."""

    trials: int
    clusters: int
    input_tokens: int
    output_tokens: int
    price: float | None

    def tokens_of(self, trials: int) -> int:
        """The price of so many trials of the same lengths, replies included."""
        return round((self.input_tokens + self.output_tokens) * trials / self.trials)

    def clusters_of(self, trials: int) -> int:
        return math.ceil(self.clusters * trials / self.trials - 1e-9)

    def price_of(self, trials: int) -> float | None:
        return None if self.price is None else self.price * trials / self.trials


@dataclass(frozen=True, slots=True)
class BandPlan:
    """seen: pairs of earlier runs that `assumed` comes from, 0 where it was guessed; own: whether of this subject."""

    subject: Subject
    band: Band
    load: Load
    assumed: Assumed
    seen: int
    own: bool
    outlook: Outlook


def outlook(trials: int, clusters: int, assumed: Assumed, wanted: Target) -> Outlook:
    """What a band with so many trials in so many clusters shows; clusters == trials: each stands alone."""
    size, shrink, fewest, n = _effective(trials, clusters, assumed)
    needed = functools.partial(_scaled, shrink=shrink, fewest=fewest)
    to_pass, to_pass_apart = _to_pass(assumed, wanted)
    d, rate, alpha = assumed.discordance, assumed.rate, wanted.first_step
    paired, apart = _for_drop(assumed, wanted) if wanted.drop <= rate else (None, None)
    smallest = power.smallest_drop(n, d, alpha, wanted.power) if n else None
    return Outlook(
        smallest_paired=smallest if smallest is not None and smallest <= rate else None,
        smallest_unpaired=unpaired.smallest_drop(n, rate, alpha, wanted.power) if n else None,
        passing=passing(trials, clusters, assumed, wanted),
        for_drop=Needed(needed(paired), needed(apart)),
        to_pass=Needed(
            needed(to_pass) if clusters == trials else max(fewest, _in_clusters(d, shrink, size, wanted)),
            needed(to_pass_apart),
        ),
    )


def passing(trials: int, clusters: int, assumed: Assumed, wanted: Target) -> float:
    """The probability that such a band passes if nothing changed."""
    _, shrink, _, n = _effective(trials, clusters, assumed)
    if not n:
        return 0.0
    if clusters == trials:
        return power.pass_chance(trials, assumed.discordance, wanted.margin, wanted.alpha)
    return power.pass_chance_in_clusters(trials, clusters, assumed.discordance, shrink, wanted.margin, wanted.alpha)


def effective(trials: int, clusters: int, assumed: Assumed) -> int:
    """How many trials that stand alone tell as much; 0 where the clusters are too few to show anything."""
    return _effective(trials, clusters, assumed)[-1]


def _effective(trials: int, clusters: int, assumed: Assumed) -> tuple[float, float, int, int]:
    """Trials of a cluster, their design effect, the fewest trials that show anything, and the effective number."""
    size = trials / clusters
    shrink = design_effect(size, assumed.together)
    fewest = 1 if clusters == trials else math.ceil(LEAST_CLUSTERS * size)
    return size, shrink, fewest, math.floor(trials / shrink + 1e-9) if trials >= fewest else 0


def _in_clusters(discordance: float, shrink: float, size: float, wanted: Target) -> int:
    """The trials it takes to pass, in clusters of that size."""
    return trials_to_settle(discordance, wanted.margin, wanted.alpha, shrink, size, wanted.power)


def design_effect(size: float, together: float) -> float:
    """How many trials of clusters of this mean size tell as much as one that stands alone (L. Kish, 1965)."""
    return 1 + (size - 1) * together


def _scaled(effective: int | None, shrink: float, fewest: int) -> int | None:
    return None if effective is None else max(fewest, math.ceil(effective * shrink - 1e-9))


@functools.cache
def _for_drop(assumed: Assumed, wanted: Target) -> tuple[int | None, int | None]:
    """Paired and unpaired, of trials that stand alone."""
    alpha = wanted.first_step
    return (
        power.trials_for_drop(wanted.drop, assumed.discordance, alpha, wanted.power),
        unpaired.trials_for_drop(wanted.drop, assumed.rate, alpha, wanted.power),
    )


@functools.cache
def _to_pass(assumed: Assumed, wanted: Target) -> tuple[int | None, int | None]:
    return (
        power.trials_to_pass(assumed.discordance, wanted.margin, wanted.alpha, wanted.power),
        unpaired.trials_to_pass(assumed.rate, wanted.margin, wanted.alpha, wanted.power),
    )
