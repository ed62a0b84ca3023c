"""Searches for the fewest trials, or the smallest drop, for which a condition holds."""

from __future__ import annotations

from collections.abc import Callable

MOST_TRIALS = 1_000_000
"""Searches for a number of trials end here: nobody asks more."""


def fewest(holds: Callable[[int], bool], most: int = MOST_TRIALS) -> int | None:
    """Return a number of trials for which `holds` is true, while it is false for one less; None if `most` are too few.

    There may be several such numbers, because the power of an exact test falls slightly at some numbers of trials.
    """
    high = 1
    while not holds(high):
        if high >= most:
            return None
        high = min(2 * high, most)
    return bisect(holds, high // 2, high)


def bisect(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return a number in (low, high] for which `holds` is true, while it is false for one less.

    It is taken to be true for `high` and false for `low`: neither is tried.
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def least(holds: Callable[[float], bool], most: float, within: float = 1e-4) -> float | None:
    """Return the least number from 0 to `most` for which `holds` is true, rounded up to `within`; None if it is false
    for `most`."""
    if not holds(most):
        return None
    low, high = 0.0, most
    while high - low > within:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
