"""Changes of trials between two runs."""

from __future__ import annotations


def alone(gained: int, lost: int, n: int) -> list[list[int]]:
    """Return a cluster for each of n trials, of which so many were gained and lost."""
    return [[1]] * gained + [[-1]] * lost + [[0]] * (n - gained - lost)
