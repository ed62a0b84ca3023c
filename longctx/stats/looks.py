"""Planned looks at evidence: it may be judged after each of a few equal parts of the trials, and asking may then stop.

The boundaries are those of S. K. Wang and A. A. Tsiatis ("Approximately optimal one-parameter boundaries for group
sequential trials", Biometrics 43, 1987) with a parameter of 0.25, between those of Pocock (0.5) and of O'Brien and
Fleming (0). At the share t of the trials, a standard normal statistic crosses the boundary c where it exceeds
c * t ** (0.25 - 0.5).

What is shown at a look stays valid whatever is asked afterwards and why asking stopped, since the boundaries of all
levels are nested: repeated p-values and repeated confidence intervals (C. Jennison and B. W. Turnbull, "Interim
analyses: the repeated confidence interval approach", JRSS B 51, 1989). The joint distribution of the statistics is
taken to be normal, with as much information in each part; the statistics themselves may be exact.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

SHAPE = 0.25
"""The parameter of Wang and Tsiatis."""
MOST_LOOKS = 5
LEAST_PER_LOOK = 20
"""The fewest independent trials, or clusters, that are worth a look of their own."""
POINTS = 301
"""The points of a numeric integral."""
NORMAL = NormalDist()


def planned(units: int, most: int = MOST_LOOKS) -> int:
    """Return how often evidence is looked at. units: independent trials, or clusters of trials."""
    return max(1, min(most, units // LEAST_PER_LOOK))


def repeated_p_value(p_value: float, look: int, looks: int) -> float:
    """Return the smallest level whose boundary the evidence crosses at this look.

    The least of all looks is a p-value. p_value: of this look by itself. look: from 1 to `looks`.
    """
    if looks == 1:
        return p_value
    if p_value >= 0.5:
        return 1.0
    crossed = -NORMAL.inv_cdf(max(p_value, 1e-15)) * (look / looks) ** (0.5 - SHAPE)
    boundaries, levels = _levels(looks)
    return max(p_value, NORMAL.cdf(-float(np.interp(crossed, boundaries, levels))))


def level_of_look(alpha: float, look: int, looks: int) -> float:
    """Return the level at which a look is tested so that all of them together err with a probability of alpha."""
    if looks == 1:
        return alpha
    boundaries, levels = _levels(looks)
    boundary = float(np.interp(-NORMAL.inv_cdf(alpha), levels, boundaries))
    return NORMAL.cdf(-boundary * (look / looks) ** (SHAPE - 0.5))


@functools.cache
def _levels(looks: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return boundaries, ascending, and the normal quantile of the level of each."""
    boundaries = np.linspace(0.0, 8.0, 81)
    return boundaries, np.array([-NORMAL.inv_cdf(_crossing(boundary, looks)) for boundary in boundaries])


def _crossing(boundary: float, looks: int) -> float:
    """Return the probability that a Brownian motion ever lies above boundary * t ** SHAPE at t = 1/looks, ..., 1.

    P. Armitage, C. K. McPherson and B. C. Rowe, "Repeated significance tests on accumulating data", JRSS A 132, 1969:
    the density of what has not crossed is integrated from look to look, by Simpson's rule.
    """
    step = 1 / math.sqrt(looks)
    weights = np.ones(POINTS)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    crossed, at, mass = 0.0, np.zeros(1), np.ones(1)
    for look in range(1, looks + 1):
        limit = boundary * (look / looks) ** SHAPE
        above = [0.5 * math.erfc((limit - start) / step / math.sqrt(2)) for start in at.tolist()]
        crossed += float(mass @ np.array(above))
        grid = np.linspace(-8.0 * math.sqrt(look / looks), limit, POINTS)
        density = np.exp(-(((grid[:, None] - at) / step) ** 2) / 2) @ mass / (step * math.sqrt(2 * math.pi))
        at, mass = grid, density * weights * (grid[1] - grid[0]) / 3
    return max(crossed, 1e-16)
