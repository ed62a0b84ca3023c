"""How large a corpus is, and how many different collages can be made of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from longctx.scenarios.collage import SEPARATOR_TOKENS


@dataclass(frozen=True, slots=True)
class Collages:
    """Of one budget (tokens). least, most: sections in a collage. tokens: of the longest collage there can be, at most.

    at_least: how many different collages there are, as log10; None where no section fits.
    """

    budget: int
    least: int
    most: int
    tokens: int
    at_least: float | None


def collages(tokens: Sequence[int], budget: int) -> Collages:
    """The collages of sections of so many tokens, from their sizes alone.

    A collage is a needle, and others in random order until the next would pass the budget (Collage._record). Let n be
    the sections of at most `budget` tokens, and k the others that are sure to fit: as many as of the longest. Each of
    the n needles, with each of the (n-1)!/(n-1-k)! ordered choices of k others, begins at least one collage that no
    other choice begins. So there are at least n (n-1)!/(n-1-k)! = n!/(n-1-k)!, and exactly so many where all fit.
    """
    sizes = sorted(size for size in tokens if size <= budget)
    n = len(sizes)
    if not n:
        return Collages(budget, 0, 0, 0, None)
    sure, most = _fitting(sizes[::-1], budget), _fitting(sizes, budget)
    whole = sum(sizes) + SEPARATOR_TOKENS * (n - 1)
    at_least = (math.lgamma(n + 1) - math.lgamma(n - sure + 1)) / math.log(10)
    return Collages(budget, sure, most, min(whole, budget), at_least)


def _fitting(sizes: Sequence[int], budget: int) -> int:
    """How many of the sections, from the first on, fit into the budget together."""
    totals = accumulate(sizes, lambda total, size: total + SEPARATOR_TOKENS + size)
    return sum(total <= budget for total in totals)
