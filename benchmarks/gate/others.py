"""What others use as a gate, on the same pairs, and how many trials each method needs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist

from benchmarks.gate.draws import Drawn
from longctx.gate.bands import Band
from longctx.stats.averaged import sign_flip_p_value

THRESHOLD = 0.05
ALPHA = 0.05


def by_test(drawn: Mapping[Band, Drawn]) -> dict[str, tuple[int, int, int]]:
    """Return for each test the number of correct trials before and after, and the number of trials."""
    counts: dict[str, tuple[int, int, int]] = {}
    for band, pairs in drawn.items():
        before, after, n = counts.get(band.test, (0, 0, 0))
        counts[band.test] = (before + pairs.before, after + pairs.after, n + pairs.n)
    return counts


def fixed_threshold(drawn: Mapping[Band, Drawn]) -> bool:
    """Return whether any test's rate fell by more than the threshold."""
    return any((before - after) / n > THRESHOLD for before, after, n in by_test(drawn).values())


def unpaired(drawn: Mapping[Band, Drawn]) -> bool:
    """Return whether a z-test of two proportions, pooled and one-sided, shows a drop in any test."""
    return any(_z(before, after, n) > NormalDist().inv_cdf(1 - ALPHA) for before, after, n in by_test(drawn).values())


def pooled_mcnemar(drawn: Drawn) -> bool:
    """Return whether McNemar's exact test, one-sided, shows a drop if all trials are taken as independent."""
    return sign_flip_p_value([change for cluster in drawn.clusters for change in cluster]) <= ALPHA


def _z(before: int, after: int, n: int) -> float:
    pooled = (before + after) / (2 * n)
    variance = 2 * pooled * (1 - pooled) / n
    return (before - after) / n / math.sqrt(variance) if variance else 0.0


def trials_needed(rate: float, drop: float, discordance: float, power: float = 0.9) -> tuple[int, int, int | None]:
    """So that a drop is found with this power in a band of independent trials: paired, unpaired, by threshold.

    rate: before the drop. discordance: the share of pairs that differ. None where no number of trials is enough. By
    the normal approximation, one-sided at ALPHA; the threshold has no alpha.
    """
    z, beyond = (NormalDist().inv_cdf(probability) for probability in (1 - ALPHA, power))
    spread = math.sqrt(discordance - drop**2)
    two = math.sqrt(rate * (1 - rate) + (rate - drop) * (1 - rate + drop))
    paired = ((z * math.sqrt(discordance) + beyond * spread) / drop) ** 2
    apart = ((z * two + beyond * spread) / drop) ** 2
    fixed = (beyond * spread / (drop - THRESHOLD)) ** 2 if drop > THRESHOLD else None
    return math.ceil(paired), math.ceil(apart), None if fixed is None else math.ceil(fixed)


def threshold_alarms(n: int, discordance: float) -> float:
    """Return the probability that the threshold alarms although nothing changed."""
    return NormalDist().cdf(-THRESHOLD * math.sqrt(n / discordance))
