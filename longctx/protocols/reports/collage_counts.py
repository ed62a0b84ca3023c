"""The size of a corpus, and the number of different collages that can be made of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from longctx.protocols.collages import SEPARATOR_TOKENS


@dataclass(frozen=True, slots=True)
class Collages:
    """The collages of one budget (tokens). least, most: the sections in a collage."""

    budget: int
    least: int
    most: int
    tokens: int
    """The most that a collage has."""
    at_least: float | None
    """A lower bound of the number of different collages, as log10; None if no section fits."""


def collages(tokens: Sequence[int], budget: int) -> Collages:
    """Count the collages of sections with these numbers of tokens.

    A collage is a needle, and other sections in random order until the next would exceed the budget (collages.py).
    Different ordered choices of k sections that fit, the needle first, begin different collages. Let m(k) be the
    largest number of shortest sections of which any k fit. Then there are at least m(k)!/(m(k)-k)! collages for each k,
    and the largest of these bounds is returned; if all n sections fit, it is n!, and exact.
    """
    sizes = sorted(size for size in tokens if size <= budget)
    if not sizes:
        return Collages(budget, 0, 0, 0, None)
    least, most = _fitting(sizes[::-1], budget), _fitting(sizes, budget)
    total = sum(sizes) + SEPARATOR_TOKENS * (len(sizes) - 1)
    return Collages(budget, least, most, min(total, budget), _log10_at_least(sizes, budget, most))


def _log10_at_least(sizes: Sequence[int], budget: int, most: int) -> float:
    """Return the bound. sizes: ascending; the first `most` of them fit together."""
    up_to = list(accumulate(sizes, initial=0))
    best, m = 0.0, len(sizes)
    for k in range(1, most + 1):
        while up_to[m] - up_to[m - k] + SEPARATOR_TOKENS * (k - 1) > budget:
            m -= 1
        best = max(best, math.lgamma(m + 1) - math.lgamma(m - k + 1))
    return best / math.log(10)


def _fitting(sizes: Sequence[int], budget: int) -> int:
    """Return how many of the sections, from the first on, fit into the budget together."""
    totals = accumulate(sizes, lambda total, size: total + SEPARATOR_TOKENS + size)
    return sum(total <= budget for total in totals)
