"""The mean length of a model's replies."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

LEAST = 3
"""The fewest answers that say how long replies are."""


@dataclass(frozen=True, slots=True)
class ReplyTokens:
    """The mean tokens of a model's replies to a family, thinking included."""

    mean: float
    answers: int

    @classmethod
    def of(cls, tokens: Sequence[int]) -> ReplyTokens | None:
        """Return the mean of the replies of some answers; None if they are too few to say."""
        return cls(statistics.fmean(tokens), len(tokens)) if len(tokens) >= LEAST else None

    def __str__(self) -> str:
        return f"{self.mean:,.0f} tokens"
