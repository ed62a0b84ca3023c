"""How many requests may be in flight: a ceiling and, below it, what the server has shown that it bears.

Refused requests halve the limit, as in TCP. With every round of answers it then closes nearly two thirds of the gap to
one less than was refused, stays close to that, and creeps on ever faster: the growth of CUBIC (RFC 9438) with a steeper
recovery. A server's own word (`retry-after`, the rate limit's headers) is waited for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PLATEAU = 90.0
"""The limit passes the one that was last refused by r³/(3·PLATEAU²) requests, r rounds after it came close to it."""


@dataclass(slots=True)
class Limit:
    """Times are seconds of one clock of the caller's. A round is as many answers as the limit allows."""

    ceiling: int
    allowed: float = field(init=False)
    refused_at: float = field(init=False)
    """The limit under which the server last refused."""
    held_until: float = 0.0
    changes: int = 0
    """How often it was halved. A request remembers this number, so that one overload halves the limit once."""
    _rounds: float = 0.0
    """Since the limit came close to the one that was last refused."""

    def __post_init__(self) -> None:
        self.allowed = self.refused_at = float(self.ceiling)

    def answered(self) -> None:
        """A request was answered."""
        if self.allowed >= self.ceiling:
            return
        gap = self.refused_at - 1 - self.allowed
        if gap > 0.5:
            step = gap
        else:
            self._rounds += 1 / self.allowed
            step = max(gap, self._rounds**2 / PLATEAU**2)
        self.allowed = min(self.ceiling, self.allowed + step / self.allowed)

    def refused(self, changes: int) -> None:
        """A request that was sent after `changes` halvings met a server that had too much to do."""
        if changes == self.changes:
            self.changes += 1
            self.refused_at = self.allowed
            self.allowed = max(1.0, self.allowed / 2)
            self._rounds = 0.0

    def hold(self, until: float) -> None:
        """Nothing is to be sent before."""
        self.held_until = max(self.held_until, until)
