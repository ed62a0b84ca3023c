"""The terms of asking, and its bounds in all rounds: requests in flight, money, failures in a row, the user's stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from longctx.live.cost.money import Budget
from longctx.live.interrupted import Halt
from longctx.live.limiter import Limit

MAX_CONSECUTIVE_FAILURES = 40
"""The number of trials in a row without an answer that stops the asking, since the next would fail too.

If twice the number of requests in flight is larger, that number counts.
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of an asking pass."""

    base_url: str | None = None
    """None for the SDK's own."""
    in_flight: int = 4
    """The most requests at once."""
    max_cost: float | None = None
    """USD; None for no cap."""
    stated_cap: bool = True
    """Whether the user stated the cap; if not, a run that is estimated to cost more is refused."""
    batch: bool = False
    """Whether to ask in batches."""
    batch_wait_s: float | None = None
    """How long to wait for them; None to wait until they end."""
    canary: bool = True
    """Whether to ask a few trials of each test first."""


@dataclass(slots=True)
class ConsecutiveFailures:
    """How long to go on asking without success."""

    most: int
    """The number of trials in a row without an answer that ends asking."""
    in_a_row: int = 0
    """The current number in a row."""
    answered: bool = False
    """Whether any trial was answered."""

    @property
    def ended(self) -> bool:
        return self.in_a_row >= self.most


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds, which all rounds share and update."""

    limit: Limit
    budget: Budget
    failures: ConsecutiveFailures
    halt: Halt

    @classmethod
    def of(cls, in_flight: int, max_cost: float | None = None, halt: Halt | None = None) -> Self:
        """Return the bounds for at most `in_flight` requests at once. max_cost: USD; None for no cap."""
        return cls(
            Limit(in_flight),
            Budget(max_cost),
            ConsecutiveFailures(max(MAX_CONSECUTIVE_FAILURES, 2 * in_flight)),
            halt or Halt(),
        )
