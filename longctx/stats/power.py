"""How likely is the gate to show a drop, and to pass what has not changed, with n paired trials?

Both probabilities are exact for independent trials: they are summed over the number of discordant pairs (O. S.
Miettinen, "The matched pairs design in the case of all-or-none responses", Biometrics 24, 1968). For clustered trials,
n is their effective number (stats/bound.py), and the result is approximate.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from longctx.stats.binomial import Tail, binomial_pmf, tails
from longctx.stats.bound import expected_over_clusters
from longctx.stats.looks import Looks
from longctx.stats.paired import score
from longctx.stats.search import bisect, fewest, least
from longctx.vocabulary.stream import frozen_stream

TIE = 1 + 1e-9
"""A p-value that exceeds alpha by no more than this factor differs from it by rounding alone."""


@functools.lru_cache(maxsize=1024)
def share_until_pass(
    n: int, discordance: float, margin: float, alpha: float, looks: Looks, clusters: int | None = None
) -> float:
    """Return the share of n independent trials that a gate asks in looks, on average, if nothing changed.

    It is the mean of 2,000 frozen simulations, in which asking stops at the first look that passes. clusters: how many
    clusters tell as much as n independent trials; their own bound must pass, too, which is approximated.
    """
    if looks.number == 1:
        return 1.0
    ends = looks.ends(n)
    stream = frozen_stream("looks", n, discordance, margin, alpha)
    parts = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    chances = [discordance / 2, discordance / 2, 1 - discordance]
    drawn = np.stack([stream.multinomial(part, chances, 2000)[:, :2] for part in parts]).cumsum(axis=0)
    asked = np.full(2000, float(n))
    for look, end in reversed(list(enumerate(ends, start=1))):
        z = -NormalDist().inv_cdf(looks.level(alpha, look))
        pairs, of_draw = np.unique(drawn[look - 1], axis=0, return_inverse=True)
        passes = np.array([score(int(gained), int(lost), end, -margin) > z for gained, lost in pairs])
        if clusters is not None:
            over_clusters = expected_over_clusters(clusters * looks.shares[look - 1], math.sqrt(discordance / end), z)
            passes &= (pairs[:, 1] - pairs[:, 0]) / end + over_clusters < margin
        asked[passes[of_draw.ravel()]] = end
    return float(asked.mean() / n)


def changes(discordance: float, drop: float) -> tuple[float, float]:
    """Return the shares of pairs that are gained and lost when the rate falls by `drop`.

    discordance: the share of pairs that are discordant without any drop, half of them each way. The pairs lost to the
    drop are added; if the two together exceed 1, fewer pairs are gained.
    """
    gained = min(discordance, 1 - drop) / 2
    return gained, gained + drop


def power(n: int, discordance: float, drop: float, alpha: float) -> float:
    """Return the probability that the exact test of stats/signflip.py shows the drop at `alpha`."""
    gained, lost = changes(discordance, drop)
    changed = gained + lost
    if not changed:
        return 0.0
    first, chance = binomial_pmf(n, changed)
    return float(chance @ np.array(tails(first, _lost_to_show(first, len(chance), alpha), lost / changed)))


def smallest_drop(n: int, discordance: float, alpha: float, wanted: float) -> float | None:
    """Return the smallest drop that n trials show with power `wanted`; None if even a drop from 1 to 0 is not shown."""
    return least(lambda drop: power(n, discordance, drop, alpha) >= wanted, 1.0)


def trials_for_drop(drop: float, discordance: float, alpha: float, wanted: float) -> int | None:
    """Return about the fewest trials that show `drop` with power `wanted`; None for more than search.MOST_TRIALS."""
    return fewest(lambda n: power(n, discordance, drop, alpha) >= wanted)


def pass_chance(n: int, discordance: float, margin: float, alpha: float) -> float:
    """Return the probability that the bound of the drop, confidence 1 - alpha, is below the margin without a change."""
    first, chance = binomial_pmf(n, discordance)
    z = NormalDist().inv_cdf(1 - alpha)
    return float(chance @ np.array(tails(first, _gained_to_pass(first, len(chance), n, margin, z), 0.5)))


def pass_chance_in_clusters(
    trials: int, clusters: int, discordance: float, deff: float, margin: float, alpha: float
) -> float:
    """Return approximately the same probability for clustered trials. deff: the design effect.

    Both of the gate's bounds must lie below the margin; if no trial changes, each cluster counts as one trial.
    """
    z = NormalDist().inv_cdf(1 - alpha)
    spread = math.sqrt(discordance * deff / trials)
    slack = margin - expected_over_clusters(clusters, spread, z)
    over_clusters = NormalDist().cdf(slack / spread) if spread else float(slack > 0)
    effective = pass_chance(math.floor(trials / deff + 1e-9), discordance, margin, alpha)
    unchanged = 0.0 if score(0, 0, clusters, -margin) > z else (1 - discordance) ** (trials / deff)
    return max(0.0, min(over_clusters, effective) - unchanged)


def trials_to_pass(discordance: float, margin: float, alpha: float, wanted: float) -> int | None:
    """Return about the fewest trials that pass with probability `wanted` if nothing changed; None above MOST_TRIALS.

    The trials are independent; bound.trials_to_settle approximates the number for clusters.
    """
    return fewest(lambda n: pass_chance(n, discordance, margin, alpha) >= wanted)


def _lost_to_show(first: int, count: int, alpha: float) -> Iterator[int]:
    """Yield how many of first, first + 1, … discordant pairs must be lost to show a drop; `count` numbers in all."""
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
        tail.add_trial()
        if tail.value > alpha * TIE:
            tail.move(tail.least + 1)
        yield tail.least


def _gained_to_pass(first: int, count: int, n: int, margin: float, z: float) -> Iterator[int]:
    """Yield how many of first, first + 1, … discordant pairs must be gained to pass, with n pairs in all.

    A number larger than that of the discordant pairs means that no number is enough.
    """

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
