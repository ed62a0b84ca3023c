"""Binomial chances, exact and quick enough to search with, without scipy: importing it costs more than a plan does."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_factorials = np.zeros(1)
"""The logarithm of each factorial, as far as one was needed."""


def chances(n: int, p: float) -> tuple[int, NDArray[np.float64]]:
    """The least number of hits of n that may come up, and the probabilities of it and of those that follow.

    What is left out, on either side, is further than ten standard deviations away: less than 1e-15.
    """
    if p <= 0 or p >= 1:
        return (n if p >= 1 else 0), np.ones(1)
    reach = 10 * math.sqrt(n * p * (1 - p)) + 40
    hits = np.arange(max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1)
    ways = _log_factorials(n)[n] - _factorials[hits] - _factorials[n - hits]
    return int(hits[0]), np.exp(ways + hits * math.log(p) + (n - hits) * math.log1p(-p))


class Tail:
    """P(X >= least) of the hits X among n, moved a step at a time: each step costs one term, not a sum."""

    def __init__(self, n: int, least: int, p: float) -> None:
        self.n, self.least, self.p = n, least, p
        first, chance = chances(n, p)
        self.value = float(chance[max(0, least - first) :].sum())

    def one_more(self) -> None:
        """n grows by one."""
        self.value += self.p * self._chance(self.least - 1)
        self.n += 1

    def move(self, least: int) -> None:
        """To another `least`."""
        while self.least < least:
            self.value -= self._chance(self.least)
            self.least += 1
        while self.least > least:
            self.least -= 1
            self.value += self._chance(self.least)

    def _chance(self, hits: int) -> float:
        if not 0 <= hits <= self.n:
            return 0.0
        if self.p <= 0 or self.p >= 1:
            return float(hits == (self.n if self.p >= 1 else 0))
        known = _log_factorials(self.n)
        ways = float(known[self.n] - known[hits] - known[self.n - hits])
        return math.exp(ways + hits * math.log(self.p) + (self.n - hits) * math.log1p(-self.p))


def tails(first: int, least: Iterable[int], p: float) -> list[float]:
    """P(X >= least[i]) of X among first + i, for each i."""
    found: list[float] = []
    tail: Tail | None = None
    for one in least:
        if tail is None:
            tail = Tail(first, one, p)
        else:
            tail.one_more()
            tail.move(one)
        found.append(min(1.0, max(0.0, tail.value)))
    return found


def _log_factorials(n: int) -> NDArray[np.float64]:
    global _factorials
    if len(_factorials) <= n:
        size = max(n + 1, 2 * len(_factorials), 1024)
        _factorials = np.array([math.lgamma(one + 1) for one in range(size)])
    return _factorials
