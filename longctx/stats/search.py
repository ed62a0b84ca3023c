"""Searches by halving: for the fewest trials or the smallest drop for which a condition holds, and for a root."""

from __future__ import annotations

from collections.abc import Callable

MOST_TRIALS = 1_000_000
"""Searches for a number of trials end here: nobody runs more."""


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


def narrowed(before: Callable[[float], bool], low: float, high: float, halvings: int = 60) -> tuple[float, float]:
    """Return an interval in (low, high) around the place where `before` turns from true to false.

    Neither end is tried. It is halved as often as is requested, or until no number lies in it.
    """
    for _ in range(halvings):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if before(middle) else (low, middle)
    return low, high


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function crosses zero, or the nearer end if it does not."""
    if function(low) <= 0:
        return low
    if function(high) >= 0:
        return high
    low, high = narrowed(lambda at: function(at) > 0, low, high)
    return (low + high) / 2


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
