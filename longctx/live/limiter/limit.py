"""The concurrency limit: the most requests in flight, which adapts to what the server accepts.

A refused request halves the limit, as in TCP. With each round of answers the limit then closes nearly two thirds of the
gap to one less than was refused, stays close to it, and then grows ever faster: the growth of CUBIC (RFC 9438) with a
steeper recovery. Pauses that the server asks for (`retry-after`, the headers of its rate limits) are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PLATEAU = 90.0
"""The limit exceeds the one that was last refused by r³/(3·PLATEAU²) requests r rounds after the refusal."""


@dataclass(slots=True)
class Limit:
    """The adaptive limit. Times are seconds of the caller's clock. A round is as many answers as the limit allows."""

    ceiling: int
    """The most requests ever."""
    allowed: float = field(init=False)
    """The current limit."""
    refused_at: float = field(init=False)
    """The limit at the last refusal."""
    held_until: float = 0.0
    """The time before which nothing is sent."""
    changes: int = 0
    """How often the limit was halved; each request remembers this number, so that one overload halves the limit
    once."""
    _rounds: float = 0.0
    """The rounds since the last refusal."""

    def __post_init__(self) -> None:
        self.allowed = self.refused_at = float(self.ceiling)

    def answered(self) -> None:
        """Note that a request was answered."""
        self._rounds += 1 / self.allowed
        gap = self.refused_at - 1 - self.allowed
        growth = max(gap, (self._rounds / PLATEAU) ** 2)
        self.allowed = min(self.ceiling, self.allowed + growth / self.allowed)

    def refused(self, changes: int) -> None:
        """Note that an overloaded server refused a request, which was sent after `changes` halvings."""
        if changes == self.changes:
            self.changes += 1
            self.refused_at = self.allowed
            self.allowed = max(1.0, self.allowed / 2)
            self._rounds = 0.0

    def hold(self, until: float) -> None:
        """Send nothing before this time."""
        self.held_until = max(self.held_until, until)
