"""How likely is the gate to pass what has not changed, with n paired trials, and how many does it ask until then?

The probability is exact for independent trials, summed as that of a drop is (stats/power.py).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from longctx.stats.binomial import binomial_pmf, tails
from longctx.stats.bound import expected_over_clusters
from longctx.stats.group_sequential import Looks
from longctx.stats.paired import score
from longctx.stats.search import bisect, fewest
from longctx.vocabulary.stream import frozen_stream


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
        pairs, index = np.unique(drawn[look - 1], axis=0, return_inverse=True)
        passes = np.array([score(int(gained), int(lost), end, -margin) > z for gained, lost in pairs])
        if clusters is not None:
            over_clusters = expected_over_clusters(clusters * looks.shares[look - 1], math.sqrt(discordance / end), z)
            passes &= (pairs[:, 1] - pairs[:, 0]) / end + over_clusters < margin
        asked[passes[index.ravel()]] = end
    return float(asked.mean() / n)


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


def trials_to_pass(discordance: float, margin: float, alpha: float, target: float) -> int | None:
    """Return about the fewest trials that pass with probability `target` if nothing changed; None above MOST_TRIALS.

    The trials are independent; bound.trials_to_settle approximates the number for clusters.
    """
    return fewest(lambda n: pass_chance(n, discordance, margin, alpha) >= target)


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
