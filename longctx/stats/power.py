"""How likely is the gate to show a drop, with n paired trials?

The probability is exact for independent trials: it is summed over the number of discordant pairs (O. S. Miettinen, "The
matched pairs design in the case of all-or-none responses", Biometrics 24, 1968). For clustered trials, n is their
effective number (stats/bound.py), and the result is approximate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from longctx.stats.binomial import Tail, binomial_pmf, tails
from longctx.stats.search import fewest, least

TIE = 1 + 1e-9
"""A p-value that exceeds alpha by no more than this factor differs from it by rounding alone."""


def changes(discordance: float, drop: float) -> tuple[float, float]:
    """Return the shares of pairs that are gained and lost when the accuracy falls by `drop`.

    discordance: the share of pairs that are discordant without any drop, half of them each way. The pairs lost to the
    drop are added; if the two together exceed 1, fewer pairs are gained.
    """
    gained = min(discordance, 1 - drop) / 2
    return gained, gained + drop


def power(n: int, discordance: float, drop: float, alpha: float) -> float:
    """Return the probability that the gate shows the drop at `alpha`, by its mid-p-value (stats/averaged.py).

    Clusters have an exact p-value, whose sums take so many values that the two hardly differ.
    """
    gained, lost = changes(discordance, drop)
    changed = gained + lost
    if not changed:
        return 0.0
    first, chance = binomial_pmf(n, changed)
    return float(chance @ np.array(tails(first, _lost_to_show(first, len(chance), alpha), lost / changed)))


def smallest_drop(n: int, discordance: float, alpha: float, target: float) -> float | None:
    """Return the smallest drop that n trials show with power `target`; None if even a drop from 1 to 0 is not shown."""
    return least(lambda drop: power(n, discordance, drop, alpha) >= target, 1.0)


def trials_for_drop(drop: float, discordance: float, alpha: float, target: float) -> int | None:
    """Return about the fewest trials that show `drop` with power `target`; None for more than search.MOST_TRIALS."""
    return fewest(lambda n: power(n, discordance, drop, alpha) >= target)


def _lost_to_show(first: int, count: int, alpha: float) -> Iterator[int]:
    """Yield how many of first, first + 1, … discordant pairs must be lost to show a drop; `count` numbers in all."""
    tail = Tail(first, 0, 0.5)
    step = max(1, first)
    while step:
        ahead = Tail(first, tail.least + step, 0.5)
        if ahead.mid > alpha * TIE:
            tail = ahead
        else:
            step //= 2
    tail.move(tail.least + 1)
    yield tail.least
    for _ in range(count - 1):
        tail.add_trial()
        if tail.mid > alpha * TIE:
            tail.move(tail.least + 1)
        yield tail.least
