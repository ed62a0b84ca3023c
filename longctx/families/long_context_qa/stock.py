"""How large a corpus is, and how many different collages can be made of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from longctx.families.long_context_qa.collage import SEPARATOR_TOKENS


@dataclass(frozen=True, slots=True)
class Collages:
    """The collages of one budget (tokens). least, most: sections in a collage. tokens: at most, of the longest collage.

    at_least: how many different collages there are, as log10; None where no section fits.
    """

    budget: int
    least: int
    most: int
    tokens: int
    at_least: float | None


def collages(tokens: Sequence[int], budget: int) -> Collages:
    """The collages of sections of so many tokens, from their sizes alone.

    A collage is a needle, and others in random order until the next would pass the budget (Collage._record). Every
    ordered choice of k sections that fit together, the needle first, begins a collage that no other such choice begins.
    Let m(k) be the largest number of shortest sections of which any k fit. Then there are at least m(k)!/(m(k)-k)!
    collages for each k, and the best of these bounds is given; where all n sections fit, it is n!, and exact.
    """
    sizes = sorted(size for size in tokens if size <= budget)
    if not sizes:
        return Collages(budget, 0, 0, 0, None)
    least, most = _fitting(sizes[::-1], budget), _fitting(sizes, budget)
    whole = sum(sizes) + SEPARATOR_TOKENS * (len(sizes) - 1)
    return Collages(budget, least, most, min(whole, budget), _log10_at_least(sizes, budget, most))


def _log10_at_least(sizes: Sequence[int], budget: int, most: int) -> float:
    """sizes: ascending; the first `most` of them fit together."""
    up_to = list(accumulate(sizes, initial=0))
    best, m = 0.0, len(sizes)
    for k in range(1, most + 1):
        while up_to[m] - up_to[m - k] + SEPARATOR_TOKENS * (k - 1) > budget:
            m -= 1
        best = max(best, math.lgamma(m + 1) - math.lgamma(m - k + 1))
    return best / math.log(10)


def _fitting(sizes: Sequence[int], budget: int) -> int:
    """How many of the sections, from the first on, fit into the budget together."""
    totals = accumulate(sizes, lambda total, size: total + SEPARATOR_TOKENS + size)
    return sum(total <= budget for total in totals)
