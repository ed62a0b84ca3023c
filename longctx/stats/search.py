"""The fewest trials, or the least drop, with which something holds."""

from __future__ import annotations

from collections.abc import Callable

MOST_TRIALS = 1_000_000
"""More than anybody asks: where so many are not enough, that is the answer."""


def fewest(holds: Callable[[int], bool], most: int = MOST_TRIALS) -> int | None:
    """A number of trials that does, while one less does not; None where `most` are too few.

    Where trials come in whole numbers, more of them may do a little worse; then there are several such numbers.
    """
    high = 1
    while not holds(high):
        if high >= most:
            return None
        high = min(2 * high, most)
    return bisect(holds, high // 2, high)


def bisect(holds: Callable[[int], bool], low: int, high: int) -> int:
    """A number above `low`, at most `high`, with which it holds, while with one less it does not.

    With `high` it holds, with `low` it does not: neither is tried.
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def least(holds: Callable[[float], bool], most: float, within: float = 1e-4) -> float | None:
    """The least number of 0 to `most` with which it holds, from above; None where `most` does not."""
    if not holds(most):
        return None
    low, high = 0.0, most
    while high - low > within:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
