"""A canary that watches over nights: an e-process of lost against gained answers, started anew each night.

Without a change an item is lost as often as gained. A bet that most changes are losses then has an expected value of at
most 1, whenever it is looked at, and reaches c with a probability of at most 1 / c (J. Ville, "Étude critique de la
notion de collectif", 1939). The bet is the mixture over all shares of losses above a half (H. Robbins, "Statistical
methods related to the law of the iterated logarithm", Annals of Mathematical Statistics 41, 1970). One starts each
night, as in the detectors of J. Shin, A. Ramdas and A. Rinaldo, "E-detectors: a nonparametric framework for sequential
change detection", New England Journal of Statistics in Data Science 2, 2024. It ends before an item returns, since the
luck of the baseline's answer would count twice. So c is the nights of a year over the false alarms in it, whatever the
nights share.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass

NIGHTS = 365
FALSE_ALARMS = 0.1
"""The most false alarms that are expected in a year of nights."""
ALARM = NIGHTS / FALSE_ALARMS
"""The evidence at which the canary gives alarm."""


@dataclass(frozen=True, slots=True)
class CanaryNight:
    """The items that one night asked again.

    lost, gained: how many are right in the baseline alone, and in the night alone.
    """

    lost: int
    gained: int
    items: Set[Hashable]


@dataclass(frozen=True, slots=True)
class CanaryEvidence:
    """The evidence of a drop after a night."""

    value: float
    """The e-value: how much a bet on a drop has multiplied its stake."""
    since: int
    """The night, from 0, on which that bet started."""

    @property
    def alarm(self) -> bool:
        return self.value >= ALARM


def evidence(lost: int, gained: int) -> float:
    """Return the e-value of a drop."""
    changes = lost + gained
    least = sum(math.comb(changes + 1, number) for number in range(lost + 1))
    return least / ((changes + 1) * math.comb(changes, lost))


def watch(nights: Sequence[CanaryNight]) -> list[CanaryEvidence]:
    """Return the evidence after each night: that of the bet that has most of it."""
    after = []
    for number in range(len(nights)):
        lost = gained = 0
        seen: set[Hashable] = set()
        best = CanaryEvidence(0.0, number)
        for start in range(number, -1, -1):
            night = nights[start]
            if not seen.isdisjoint(night.items):
                break
            seen |= night.items
            lost, gained = lost + night.lost, gained + night.gained
            best = max(best, CanaryEvidence(evidence(lost, gained), start), key=lambda each: each.value)
        after.append(best)
    return after
