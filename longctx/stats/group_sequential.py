"""Planned looks at evidence: it may be judged after certain shares of the trials, and asking may then stop.

The boundaries are those of S. K. Wang and A. A. Tsiatis ("Approximately optimal one-parameter boundaries for group
sequential trials", Biometrics 43, 1987), whose parameter is 0.5 for Pocock's and 0 for those of O'Brien and Fleming. At
the share t of the trials, a standard normal statistic crosses the boundary c where it exceeds c * t ** (shape - 0.5).

Evidence at a look stays valid whatever is asked afterwards and why asking stopped, since the boundaries of all levels
are nested: repeated p-values and repeated confidence intervals (C. Jennison and B. W. Turnbull, "Interim analyses: the
repeated confidence interval approach", JRSS B 51, 1989). The joint distribution of the statistics is taken to be
normal; the statistics themselves may be exact.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from longctx.stats.paired import score
from longctx.vocabulary.looks import LooksPlan

LEAST_PER_LOOK = 20
"""The fewest independent trials, or clusters, that are worth a look."""
POINTS = 301
"""The points of a numeric integral."""
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks at the evidence in a band."""

    shares: tuple[float, ...] = (1.0,)
    """The shares of the trials after which it is looked at; the last is 1."""
    shape: float = 0.25
    """The parameter of Wang and Tsiatis."""

    @property
    def number(self) -> int:
        return len(self.shares)

    def ends(self, units: int) -> list[int]:
        """Return how many of the units have been asked at each look."""
        return [math.ceil(units * share - 1e-9) for share in self.shares]

    def repeated_p_value(self, p_value: float, look: int) -> float:
        """Return the smallest level whose boundary the evidence crosses at this look.

        The least of all looks is a p-value. p_value: of this look by itself. look: from 1.
        """
        if self.number == 1:
            return p_value
        if p_value >= 0.5:
            return 1.0
        crossed = -NORMAL.inv_cdf(max(p_value, 1e-15)) * self.shares[look - 1] ** (0.5 - self.shape)
        boundaries, levels = _levels(self)
        return max(p_value, NORMAL.cdf(-float(np.interp(crossed, boundaries, levels))))

    def level(self, alpha: float, look: int) -> float:
        """Return the level at which a look is tested so that all of them together err with a probability of alpha."""
        if self.number == 1:
            return alpha
        boundaries, levels = _levels(self)
        boundary = float(np.interp(-NORMAL.inv_cdf(alpha), levels, boundaries))
        return NORMAL.cdf(-boundary * self.shares[look - 1] ** (self.shape - 0.5))


ONCE = Looks()
_UNEQUAL: Mapping[LooksPlan, Looks] = {
    "once": ONCE,
    "few": Looks((0.35, 0.6, 1.0), 0.25),
    "early": Looks((0.2, 0.3, 0.45, 0.67, 1.0), 0.5),
}


def planned(plan: LooksPlan, units: int, trials: int, margin: float, alpha: float) -> Looks:
    """Return the looks at a band by a plan, without the first ones that not even identical answers could pass at.

    units: its independent trials, or clusters of trials. trials: those of all units. margin, alpha: the gate's.
    """
    if plan == "equal":
        number = max(1, min(5, units // LEAST_PER_LOOK))
        return Looks(tuple(look / number for look in range(1, number + 1)))
    looks = _UNEQUAL[plan]
    while looks.number > 1:
        first = math.ceil(trials * looks.shares[0])
        enough = units * looks.shares[0] >= LEAST_PER_LOOK
        if enough and score(0, 0, first, -margin) > -NORMAL.inv_cdf(looks.level(alpha, 1)):
            break
        looks = Looks(looks.shares[1:], looks.shape)
    return looks


@functools.cache
def _levels(looks: Looks) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return boundaries, ascending, and the normal quantile of the level of each."""
    boundaries = np.linspace(0.0, 8.0, 81)
    return boundaries, np.array([-NORMAL.inv_cdf(_crossing(boundary, looks)) for boundary in boundaries])


def _crossing(boundary: float, looks: Looks) -> float:
    """Return the probability that a Brownian motion lies above boundary * t ** shape at any of the shares t.

    P. Armitage, C. K. McPherson and B. C. Rowe, "Repeated significance tests on accumulating data", JRSS A 132, 1969:
    the density of what has not crossed is integrated from look to look, by Simpson's rule.
    """
    weights = np.ones(POINTS)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    crossed, at, mass, before = 0.0, np.zeros(1), np.ones(1), 0.0
    for share in looks.shares:
        limit, step = boundary * share**looks.shape, math.sqrt(share - before)
        above = [0.5 * math.erfc((limit - start) / step / math.sqrt(2)) for start in at.tolist()]
        crossed += float(mass @ np.array(above))
        grid = np.linspace(-8.0 * math.sqrt(share), limit, POINTS)
        density = np.exp(-(((grid[:, None] - at) / step) ** 2) / 2) @ mass / (step * math.sqrt(2 * math.pi))
        at, mass, before = grid, density * weights * (grid[1] - grid[0]) / 3, share
    return max(crossed, 1e-16)
