"""What is lost at each of several values of a parameter, compared with the first on the same items, and up to which
value a loss is ruled out.

All statements hold together with a confidence of about 95% (benchmarks/gate/FILLS.md). A loss is ruled out up to a
value by tests in a fixed order, each at 2.5%, which end at the first that fails, so that they need no correction
(W. Maurer, L. Hothorn and W. Lehmacher, "Multiple comparisons in drug clinical trials", 1995). The intervals of losses
are Bonferroni's: they hold for all values at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

from longctx.stats.averaged import Averaged
from longctx.stats.bound import trials_to_settle
from longctx.stats.paired import Paired
from longctx.stats.power import trials_for_drop
from longctx.stats.rates import design_effect

MARGIN = 0.10
"""The loss that is ruled out, or not."""
ALPHA = 0.025
"""The one-sided level of a test."""
OFTEN = 0.8
"""The probability with which as many items as are named tell two values apart."""
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
    """Of the loss; it allows for all values."""
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

    def more(self, margin: float = MARGIN) -> int | None:
        """Return about how many more items rule a loss of the margin out or show the observed one; None for millions.

        They show the observed one if it is at least half of the margin.
        """
        least = 1 / (self.n + 2)  # even if no item changed, some may
        if self.loss < margin / 2:
            changed = max(self.gained + self.lost, least)
            needed: int | None = trials_to_settle(changed, margin, ALPHA, self.effect, self.size, OFTEN)
        else:
            needed = trials_for_drop(self.loss, max(2 * self.gained, least), ALPHA, OFTEN)
            needed = None if needed is None else math.ceil(self.effect * needed)
        return None if needed is None else max(STEP, -(-(needed - self.n) // STEP) * STEP)


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
        end = next((place for place, each in enumerate(self.each) if each.bound >= self.margin), len(self.each))
        return self.each[:end]

    @property
    def lost(self) -> tuple[Loss, ...]:
        """The values with a significant loss."""
        return tuple(each for each in self.each if each.significant)

    @property
    def open(self) -> tuple[Loss, ...]:
        """The values at which neither is known."""
        return tuple(each for each in self.each[len(self.ruled_out) :] if not each.significant)


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
    effect, size = (design_effect(pairs.changes), n / len(pairs.answers)) if isinstance(pairs, Averaged) else (1.0, 1.0)
    return Loss(value, n, lost - gained, (-high, -low), pairs.drop_bound(ALPHA), gained, lost, effect, size)
