"""How likely is the gate to show a drop, and to pass what has not changed, with n paired trials?

Both are exact for trials that stand alone: pairs are gained, lost or neither, independently, and every count is summed
over, by the number of pairs that change (O. S. Miettinen, "The matched pairs design in the case of all-or-none
responses", Biometrics 24, 1968). For trials in clusters, n is their effective number (measure/bound.py): approximate.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from longctx.stats.binomial import Tail, chances, tails
from longctx.stats.bound import expected_over_clusters
from longctx.stats.paired import score
from longctx.stats.search import bisect, fewest, least

TIE = 1 + 1e-9
"""A p-value that equals alpha but for rounding counts as equal."""


def changes(discordance: float, drop: float) -> tuple[float, float]:
    """The shares of pairs that are gained and lost, where the rate falls by `drop`.

    discordance: the share of pairs that change where nothing has, half of them each way. The drop's come on top; with
    a drop so large that not all find room, fewer are gained.
    """
    gained = min(discordance, 1 - drop) / 2
    return gained, gained + drop


def power(n: int, discordance: float, drop: float, alpha: float) -> float:
    """The probability that a drop is shown by the exact test of measure/signflip.py, at `alpha`."""
    gained, lost = changes(discordance, drop)
    changed = gained + lost
    if not changed:
        return 0.0
    first, chance = chances(n, changed)
    return float(chance @ np.array(tails(first, _lost_to_show(first, len(chance), alpha), lost / changed)))


def smallest_drop(n: int, discordance: float, alpha: float, wanted: float) -> float | None:
    """The smallest drop that n trials show with the power `wanted`; None where not even a fall from 1 to 0 shows."""
    return least(lambda drop: power(n, discordance, drop, alpha) >= wanted, 1.0)


def trials_for_drop(drop: float, discordance: float, alpha: float, wanted: float) -> int | None:
    """About the fewest trials that show `drop` with the power `wanted`; None for more than search.MOST_TRIALS."""
    return fewest(lambda n: power(n, discordance, drop, alpha) >= wanted)


def pass_chance(n: int, discordance: float, margin: float, alpha: float) -> float:
    """The probability that the bound of the drop (confidence 1 - alpha) lies below the margin if nothing changed."""
    first, chance = chances(n, discordance)
    z = NormalDist().inv_cdf(1 - alpha)
    return float(chance @ np.array(tails(first, _gained_to_pass(first, len(chance), n, margin, z), 0.5)))


def pass_chance_in_clusters(
    trials: int, clusters: int, discordance: float, shrink: float, margin: float, alpha: float
) -> float:
    """The same for trials in clusters, about. shrink: the design effect.

    Both of the gate's bounds must lie below the margin, and where no trial changes each cluster counts as one trial.
    """
    z = NormalDist().inv_cdf(1 - alpha)
    spread = math.sqrt(discordance * shrink / trials)
    slack = margin - expected_over_clusters(clusters, spread, z)
    over_clusters = NormalDist().cdf(slack / spread) if spread else float(slack > 0)
    effective = pass_chance(math.floor(trials / shrink + 1e-9), discordance, margin, alpha)
    unchanged = 0.0 if score(0, 0, clusters, -margin) > z else (1 - discordance) ** (trials / shrink)
    return max(0.0, min(over_clusters, effective) - unchanged)


def trials_to_pass(discordance: float, margin: float, alpha: float, wanted: float) -> int | None:
    """About the fewest trials that pass with probability `wanted` if nothing changed; None for more than MOST_TRIALS.

    Of trials that stand alone; bound.trials_to_settle is for clusters too, and approximate.
    """
    return fewest(lambda n: pass_chance(n, discordance, margin, alpha) >= wanted)


def _lost_to_show(first: int, count: int, alpha: float) -> Iterator[int]:
    """How many of first, first + 1 ... changed pairs must be lost for a drop to be shown; count numbers."""
    tail = Tail(first, 0, 0.5)
    step = max(1, first)
    while step:
        ahead = Tail(first, tail.least + step, 0.5)
        if ahead.value > alpha * TIE:
            tail = ahead
        else:
            step //= 2
    tail.move(tail.least + 1)
    yield tail.least
    for _ in range(count - 1):
        tail.one_more()
        if tail.value > alpha * TIE:
            tail.move(tail.least + 1)
        yield tail.least


def _gained_to_pass(first: int, count: int, n: int, margin: float, z: float) -> Iterator[int]:
    """The same for a pass: how many must be gained, of n pairs in all; more than there are where no number will do."""

    def passes(changed: int, gained: int) -> bool:
        return score(gained, changed - gained, n, -margin) > z

    gained = bisect(functools.partial(passes, first), -1, first + 1)
    yield gained
    for changed in range(first + 1, first + count):
        while gained > 0 and passes(changed, gained - 1):
            gained -= 1
        while gained <= changed and not passes(changed, gained):
            gained += 1
        yield gained
