"""The effective context window of passkey retrieval: k_max and the protocol's two bounds.

Source: S. Chen et al., 2023, section 3.3, https://arxiv.org/abs/2306.15595.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from longctx import Rate

SUCCESS_RATE = 0.2
"""k_max is the largest k such that every k' <= k succeeds at least this often."""
ERROR = 0.05
"""The probability that the interval of k_max does not hold it."""


@dataclass(frozen=True, slots=True)
class EffectiveWindow:
    """The effective window in tokens. A value is None if no k satisfies its definition."""

    k_max: int | None
    """The effective window by the 20% rule."""
    at_least: int | None
    """The largest k up to which every trial of every k succeeded ("consistently succeeds")."""
    less_than: int | None
    """The smallest k at which every trial failed ("persistently fails")."""


def effective_window(by_k: Mapping[int, Rate]) -> EffectiveWindow:
    """Compute the effective window from the rate at each k. k_max and at_least stop at a k without measured trials."""
    k_max = at_least = None
    ordered = sorted(by_k)
    for k in ordered:
        if by_k[k].n == 0 or by_k[k].rate < SUCCESS_RATE:
            break
        k_max = k
    for k in ordered:
        if by_k[k].n == 0 or by_k[k].correct < by_k[k].n:
            break
        at_least = k
    less_than = next((k for k in ordered if by_k[k].n and by_k[k].correct == 0), None)
    return EffectiveWindow(k_max, at_least, less_than)


def k_max_interval(by_k: Mapping[int, Rate]) -> tuple[int, int]:
    """Return the 95% interval of k_max in tokens. An end of 0 means less than the smallest k.

    It assumes nothing of how the rate changes with k, so that it holds for dips and U shapes, too. The lower end is the
    largest k up to which every distance by itself is shown to succeed at 20% or more (an intersection-union test: R. L.
    Berger, Technometrics 24, 1982). The upper end is the last k before some stretch of distances is shown, with
    Bonferroni's correction over all stretches, to succeed less often. Each end errs with a probability of at most 2.5%.
    """
    ordered = sorted(by_k)
    succeeding = itertools.takewhile(lambda k: by_k[k].p_above(SUCCESS_RATE) <= ERROR / 2, ordered)
    failing = (end for end, p_value in _stretches(by_k) if p_value <= ERROR / 2)
    first = min(failing, default=len(ordered))
    return max(succeeding, default=0), ([0, *ordered])[first]


def p_value_of_reaching(by_k: Mapping[int, Rate], minimum: int) -> float:
    """Return the p-value of the hypothesis that k_max is at least `minimum` tokens.

    It is then true of every stretch of distances up to the first that is as long; the interval tests the same.
    """
    ordered = sorted(by_k)
    last = next((place for place, k in enumerate(ordered) if k >= minimum), len(ordered) - 1)
    return min((p_value for end, p_value in _stretches(by_k) if end <= last), default=1.0)


def _stretches(by_k: Mapping[int, Rate]) -> Iterator[tuple[int, float]]:
    """Yield the place of the last distance of each stretch, and the p-value that all of it succeeds at 20% or more.

    Stretches have 1, 2, 4, … distances. If every rate is at least 20%, all trials of a stretch together have at least
    as many successes as a binomial of 20%. The p-values are multiplied by the number of stretches.
    """
    rates = [by_k[k] for k in sorted(by_k)]
    sizes = list(itertools.takewhile(lambda size: size <= len(rates), (2**power for power in itertools.count())))
    number = sum(len(rates) - size + 1 for size in sizes)
    for size in sizes:
        for end in range(size - 1, len(rates)):
            stretch = rates[end - size + 1 : end + 1]
            n = sum(rate.n for rate in stretch)
            effect = sum(rate.n * rate.effect for rate in stretch) / n if n else 1.0
            together = Rate(sum(rate.correct for rate in stretch), n, effect)
            yield end, min(1.0, number * together.p_below(SUCCESS_RATE))
