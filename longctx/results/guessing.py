"""The rate that guessing reaches, of which a baseline near it has nothing to lose."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.results.row import Row
from longctx.vocabulary.declaration import Protocol


def guessing_of(test: Protocol | None, *sides: Sequence[Row], stated: float = 0.0) -> float:
    """Return the rate that guessing reaches: that of the test, else the highest that the rows or the user state.

    sides: the rows of each run.
    """
    if test is not None:
        return test.guessing
    return max([stated, *(sum(row.guessing or 0.0 for row in rows) / len(rows) for rows in sides if rows)])
