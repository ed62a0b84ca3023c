"""Exact binomial probabilities, fast enough for a search. scipy is avoided: importing it takes longer than a plan."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_factorials = np.zeros(1)
"""The logarithms of the factorials of 0, 1, 2 …: a cache that grows with the largest n asked for."""


def binomial_pmf(n: int, p: float) -> tuple[int, NDArray[np.float64]]:
    """Return a number of hits, and the probabilities of it and of the numbers that follow it, of n trials.

    Numbers of hits more than ten standard deviations from the mean are left out; together they weigh less than 1e-15.
    """
    if p <= 0 or p >= 1:
        return (n if p >= 1 else 0), np.ones(1)
    reach = 10 * math.sqrt(n * p * (1 - p)) + 40
    hits = np.arange(max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1)
    ways = _log_factorials(n)[n] - _factorials[hits] - _factorials[n - hits]
    return int(hits[0]), np.exp(ways + hits * math.log(p) + (n - hits) * math.log1p(-p))


class Tail:
    """`value` is P(X >= least) for the hits X of n trials. A step of n or `least` costs one term instead of a sum."""

    def __init__(self, n: int, least: int, p: float) -> None:
        self.n, self.least, self.p = n, least, p
        first, chance = binomial_pmf(n, p)
        self.value = float(chance[max(0, least - first) :].sum())

    @property
    def mid(self) -> float:
        """P(X > least) and half of P(X = least), as a mid-p-value counts it."""
        return self.value - self._chance(self.least) / 2

    def add_trial(self) -> None:
        """Increase n by one."""
        self.value += self.p * self._chance(self.least - 1)
        self.n += 1

    def move(self, least: int) -> None:
        """Change `least`."""
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
        logs = _log_factorials(self.n)
        ways = float(logs[self.n] - logs[hits] - logs[self.n - hits])
        return math.exp(ways + hits * math.log(self.p) + (self.n - hits) * math.log1p(-self.p))


def tails(first: int, least: Iterable[int], p: float) -> list[float]:
    """Return P(X >= least[i]) for the hits X of first + i trials, for each i."""
    values: list[float] = []
    tail: Tail | None = None
    for hits in least:
        if tail is None:
            tail = Tail(first, hits, p)
        else:
            tail.add_trial()
            tail.move(hits)
        values.append(min(1.0, max(0.0, tail.value)))
    return values


def _log_factorials(n: int) -> NDArray[np.float64]:
    global _factorials
    if len(_factorials) <= n:
        size = max(n + 1, 2 * len(_factorials), 1024)
        _factorials = np.array([math.lgamma(n + 1) for n in range(size)])
    return _factorials
