"""What is lost at each of several values of a parameter, compared with the first on the same items, and up to which
value a loss is ruled out.

The statements on losses hold together with a confidence of about 95% (benchmarks/gate/FILLS.md). A loss is ruled out
up to a value by tests in a fixed order, each at 2.5%, which end at the first that fails, so that they need no
correction (W. Maurer, L. Hothorn and W. Lehmacher, "Multiple comparisons in drug clinical trials", 1995). The intervals
of losses are Bonferroni's: they hold for all values at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from longctx.stats.averaged import Averaged
from longctx.stats.bound import expected_over_clusters, trials_to_settle
from longctx.stats.paired import Paired
from longctx.stats.power import trials_for_drop
from longctx.stats.rates import students
from longctx.stats.search import fewest
from longctx.vocabulary.stream import frozen_stream

MARGIN = 0.10
"""The loss that is ruled out, or not."""
ALPHA = 0.025
"""The one-sided level of a test."""
OFTEN = 0.8
"""The probability with which as many items as are named tell two values apart."""
HALVES = 200
"""The random halves of items of which one chooses the best value."""
STEP = 10
"""Numbers of further items are rounded up to its multiples."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What is lost at one value."""

    value: float
    n: int
    """How many items were measured at this value and at the first."""
    loss: float
    """The rate at the first value minus the rate at this one, -1 to 1."""
    interval: tuple[float, float]
    """The interval of the loss, simultaneous over all values."""
    bound: float
    """The upper bound of the loss, for this value alone."""
    gained: float
    """The share of items that are right at this value alone."""
    lost: float
    """The share of items that are right at the first value alone."""
    effect: float = 1.0
    """How many items carry as much information as one independent item."""
    size: float = 1.0
    """The items of a cluster, such as a session."""

    @property
    def significant(self) -> bool:
        return self.interval[0] > 0

    def more(self, margin: float = MARGIN, alpha: float = ALPHA, values: int = 1) -> int | None:
        """Return about how many more items rule a loss of the margin out or show the observed one; None for millions.

        They show the observed one if it is at least half of the margin. alpha: the one-sided level. values: how many
        statements are made at once: each then needs more confidence, though less than if they were independent.
        """
        least, often = 1 / (self.n + 2), 1 - (1 - OFTEN) / math.sqrt(values)
        if self.loss < margin / 2:  # as if one more of two items had changed: few tell little of that
            changed = ((self.gained + self.lost) * self.n + 1 / self.effect) * least
            needed: int | None = trials_to_settle(changed, margin, alpha, self.effect, self.size, often)
        else:
            needed = trials_for_drop(self.loss, max(2 * self.gained, least), alpha, often)
            needed = None if needed is None else max(math.ceil(self.effect * needed), self._in_clusters(alpha, often))
        return None if needed is None else max(STEP, -(-(needed - self.n) // STEP) * STEP)

    def _in_clusters(self, alpha: float, often: float) -> int:
        """Return about how many items show the observed loss by the bound over clusters, which also covers others.

        What was observed may be as far from the truth as what follows, and few clusters tell little of their variance.
        """
        if self.size == 1:
            return 0
        freedom = max(1, round(self.n / self.size) - 1)
        z, unlucky = (students(NormalDist().inv_cdf(share), freedom) for share in (1 - alpha, often))
        variance = (self.gained + self.lost - self.loss**2) * self.effect

        def shown(n: int) -> bool:
            spread = math.sqrt(variance / n)
            return expected_over_clusters(n / self.size, spread, z) + math.sqrt(2) * unlucky * spread < self.loss

        return fewest(shown) or 0


@dataclass(frozen=True, slots=True)
class Losses:
    """What is known of all values after the first, in their order."""

    first: float
    each: tuple[Loss, ...]
    margin: float = MARGIN

    @classmethod
    def of(cls, first: float, pairs: Mapping[float, Paired | Averaged], margin: float = MARGIN) -> Losses:
        """Return the losses at some values.

        pairs: for each value, what changed from the first value to it.
        """
        z = NormalDist().inv_cdf(1 - ALPHA / max(1, len(pairs)))
        return cls(first, tuple(_loss(value, pairs[value], z) for value in sorted(pairs)), margin)

    @property
    def ruled_out(self) -> tuple[Loss, ...]:
        """The values at which, and at all smaller ones, a loss of the margin is ruled out."""
        end = next((index for index, each in enumerate(self.each) if each.bound >= self.margin), len(self.each))
        return self.each[:end]

    @property
    def more(self) -> int | None:
        """About how many more items, or clusters if these have several, tell all open values; None for millions."""
        found, size = [loss.more(self.margin, values=len(self.each)) for loss in self.open], self.open[0].size
        if None in found:
            return None
        items = max(number for number in found if number is not None)
        return items if size < 2 else math.ceil(items / size)

    @property
    def lost(self) -> tuple[Loss, ...]:
        """The values with a significant loss."""
        return tuple(each for each in self.each if each.significant)

    @property
    def open(self) -> tuple[Loss, ...]:
        """The values at which neither is known."""
        return tuple(each for each in self.each[len(self.ruled_out) :] if not each.significant)


@dataclass(frozen=True, slots=True)
class Behind:
    """How far one of several values is behind the best of them, whichever that is."""

    most: float
    """The upper bound of the difference, 0 to 1."""
    beaten: bool
    """Whether another one is significantly at least as good."""


def behind(values: Sequence[float], pairs: Mapping[tuple[float, float], Paired | Averaged]) -> dict[float, Behind]:
    """Return how far each value is behind the best; all statements hold together with a confidence of 95%.

    These are multiple comparisons with the best (J. C. Hsu, "Constrained simultaneous confidence intervals for multiple
    comparisons with the best", Annals of Statistics 12, 1984): any value may be the best, so that one is at most as far
    behind as the bounds against all others allow, each at its part of 5%. pairs: what changed from a value to another.
    """
    z, bounds = NormalDist().inv_cdf(1 - level_of(len(values))), {}
    for (one, other), changes in pairs.items():
        low, high = changes.interval(z)
        bounds[other, one], bounds[one, other] = high, -low
    found = {}
    for value in values:
        others = [other for other in values if other != value]
        most = max(0.0, *(bounds[other, value] for other in others))
        found[value] = Behind(most, any(bounds[value, other] < 0 for other in others))
    return found


def level_of(values: int) -> float:
    """Return the one-sided level at which each of so many values is compared with the best."""
    return 2 * ALPHA / (values - 1)


def accuracy_of_best(answers: Sequence[Sequence[float]]) -> float:
    """Return the approximate accuracy of the best of several values, corrected for having been chosen.

    By its own items it is too high: they chose it (benchmarks/gate/CHUNKS.md). So one half of the items chooses it, and
    the other half tells its accuracy; this is the mean of frozen random halves. answers: of each item at each value.
    """
    credit, stream, found = np.array(answers), frozen_stream("halves", len(answers)), []
    for _ in range(HALVES):
        order = stream.permutation(len(credit))
        half = max(1, len(order) // 2)
        best = credit[order[:half]].sum(axis=0).argmax()
        found.append(credit[order[-half:], best].mean())
    return float(np.mean(found))


def probes_needed(discordance: float, margin: float = MARGIN) -> int:
    """Return how many items rule out a loss of the margin with a probability of 80% if nothing is lost.

    discordance: the share of items that change from one value to another by chance.
    """
    return trials_to_settle(discordance, margin, ALPHA, power=OFTEN)


def _loss(value: float, pairs: Paired | Averaged, z: float) -> Loss:
    n = pairs.n
    if not n:
        return Loss(value, 0, 0.0, (-1.0, 1.0), 1.0, 0.0, 0.0)
    low, high = pairs.interval(z)
    gained, lost = pairs.gained / n, pairs.lost / n
    effect, size = (pairs.effect, n / len(pairs.answers)) if isinstance(pairs, Averaged) else (1.0, 1.0)
    return Loss(value, n, lost - gained, (-high, -low), pairs.drop_bound(ALPHA), gained, lost, effect, size)
