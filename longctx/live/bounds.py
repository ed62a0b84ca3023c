"""What bounds an asking in all its rounds: requests at once, money, and patience."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from longctx.live.cost.money import Budget
from longctx.live.limiter.limit import Limit

FRUITLESS = 40
"""So many trials in a row that end without an answer, or twice as many as may be in flight if that is more, stop the
asking: the next would fare no better."""


@dataclass(slots=True)
class Patience:
    """most: trials in a row that may end without an answer. in_vain: that have, by now."""

    most: int
    in_vain: int = 0

    @property
    def ended(self) -> bool:
        return self.in_vain >= self.most


@dataclass(frozen=True, slots=True)
class Bounds:
    """Shared by all rounds, and changed by what they meet."""

    limit: Limit
    budget: Budget
    patience: Patience

    @classmethod
    def of(cls, in_flight: int, max_cost: float | None = None) -> Self:
        """max_cost: USD."""
        return cls(Limit(in_flight), Budget(max_cost), Patience(max(FRUITLESS, 2 * in_flight)))
