"""The difference between two runs whose answers people labelled where a judge's grades tell most.

All trials whose grade changed, or that are wrong twice, have labels, and a random sample of those that are right twice.
The first part counts all trials, those that are right twice as unchanged: T. Tango's score interval of the paired
difference (stats/averaged.py). The second is that of the sample, times the share of such trials. The limits of the
sum are those of G. Y. Zou and A. Donner (MOVER, stats/mover.py). So it holds whatever the judge's errors are, also if
it treats the later run otherwise (benchmarks/gate/LABELS.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from longctx.stats.averaged import AnswerPair, Averaged
from longctx.stats.search import root

LARGEST_Z = 8.0
"""A drop that is significant at this quantile has a p-value of about 1e-15."""
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class RightTwice:
    """The trials that the judge calls right in both runs, of which people labelled a random sample."""

    number: int
    sample: Averaged
    """The sampled trials, by their labels."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Trials of two runs, as people label them."""

    known: Averaged
    """All trials; those that the judge calls right twice count as unchanged here."""
    right_twice: Sequence[RightTwice]
    """These, by the strata in which their samples were drawn."""

    @property
    def answers(self) -> Sequence[Sequence[AnswerPair]]:
        return self.known.answers

    @property
    def changes(self) -> list[list[float]]:
        return self.known.changes

    @property
    def n(self) -> int:
        return self.known.n

    @property
    def independent(self) -> bool:
        return self.known.independent

    @property
    def difference(self) -> float:
        """The accuracy after minus before. Trials that are right twice count by the labels of their sample."""
        return math.fsum([self.known.difference, *(share * _shown(of.sample) for share, of in self._shares)])

    @property
    def gained(self) -> float:
        return self._total("gained")

    @property
    def lost(self) -> float:
        return self._total("lost")

    def reversed(self) -> Labelled:
        """Return the trials as if the runs before and after were exchanged."""
        return Labelled(self.known.reversed(), [RightTwice(of.number, of.sample.reversed()) for of in self.right_twice])

    def drop_bound(self, alpha: float = 0.05) -> float:
        """Return the upper end of the one-sided interval of the drop at confidence 1 - alpha, between -1 and 1."""
        if not self.n:
            return 1.0
        reaches = [
            self.known.drop_bound(alpha) + self.known.difference,
            *(share * (of.sample.drop_bound(alpha) + _shown(of.sample)) for share, of in self._shares),
        ]
        return min(1.0, math.hypot(*reaches) - self.difference)

    def drop_p_value(self) -> float:
        """Return the smallest level at which the lower end of the drop's interval is above 0."""
        if not self.n or self.difference >= 0:
            return 1.0
        gain = self.reversed()
        return NORMAL.cdf(-root(lambda z: -gain.drop_bound(NORMAL.cdf(-z)), 0.0, LARGEST_Z))

    @property
    def _shares(self) -> list[tuple[float, RightTwice]]:
        return [(of.number / self.n, of) for of in self.right_twice if of.number]

    def _total(self, name: str) -> float:
        of_samples = (of.number * getattr(of.sample, name) / of.sample.n for of in self.right_twice if of.sample.n)
        return round(math.fsum([getattr(self.known, name), *of_samples]), 6)


def _shown(sample: Averaged) -> float:
    return sample.difference if sample.n else 0.0
