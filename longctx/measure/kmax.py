"""The effective context window of passkey retrieval: k_max and the seed's two bounds.

Source: S. Chen et al., 2023, section 3.3, https://arxiv.org/abs/2306.15595.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longctx.measure.rates import Rate

SUCCESS_RATE = 0.2
"""k_max is the largest k such that every k' <= k succeeds at least this often."""


@dataclass(frozen=True, slots=True)
class EffectiveWindow:
    """In tokens. None where no k satisfies the definition.

    k_max: by the 20% rule. at_least: the largest k up to which every trial of every k succeeded ("consistently
    succeeds"). less_than: the smallest k at which every trial failed ("persistently fails").
    """

    k_max: int | None
    at_least: int | None
    less_than: int | None


def effective_window(by_k: Mapping[int, Rate]) -> EffectiveWindow:
    """From the rate at each k. A k without measured trials ends what lies below it."""
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
