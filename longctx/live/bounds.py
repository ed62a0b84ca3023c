"""The terms of asking, and its bounds in all rounds: requests in flight, money, failures in a row, the user's stop."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from longctx.config.project import FIRST_IN_FLIGHT, MOST_IN_FLIGHT, PATIENCE
from longctx.live.cost.money import Budget
from longctx.live.interrupted import Halt
from longctx.live.limiter import Limit
from longctx.live.server.client import Server
from longctx.live.watch import Say
from longctx.text import count

MAX_CONSECUTIVE_FAILURES = 40
"""The number of trials in a row without an answer that stops the live pass, since the next would fail too.

If twice the number of requests in flight is larger, that number counts.
"""
PATIENCE_S = 60 * PATIENCE
SPARED = 16
"""The files that are left for recordings and reports, and for what tests open."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a live pass may use: server, concurrency, spending cap, batches."""

    base_url: str | None = None
    """None for the SDK's own."""
    in_flight: int = MOST_IN_FLIGHT
    """The most requests at once."""
    max_cost: float | None = None
    """USD; None for no cap."""
    stated_cap: bool = True
    """Whether the user stated the cap; if not, a run that is estimated to cost more is refused."""
    batch: bool = False
    """Whether to ask in batches."""
    batch_wait_s: float | None = None
    """How long to wait for them; None to wait until they end."""
    patience_s: float = PATIENCE_S
    """How long to wait for a server that has answered before."""
    canary: bool = True
    """Whether to ask a few trials of each test first."""

    def say_few(self, say: Say) -> None:
        """Print why fewer requests are in flight than `in_flight`, if files cannot be opened for more."""
        if not self.batch and (most := ceiling(self.in_flight)) < self.in_flight:
            say(
                f"At most {count(most, 'request')} at once instead of {self.in_flight:,}: this process may open too "
                "few files for more. Raise its limit (ulimit -n)."
            )

    def bounds(self, halt: Halt | None = None, budget: Budget | None = None) -> Bounds:
        """Return the bounds of a live pass. budget: that of the run, if it has spent some already."""
        bounds = Bounds.of(self.in_flight, self.max_cost, halt)
        return replace(bounds, budget=budget or bounds.budget, patience_s=self.patience_s)


@dataclass(slots=True)
class ConsecutiveFailures:
    """How long to go on asking without success."""

    in_a_row: int = 0
    """The current number in a row."""
    answered: bool = False
    """Whether any trial was answered."""
    servers: set[Server] = field(default_factory=set)
    """The servers that have answered."""

    def ended(self, allowed: int) -> bool:
        """Return whether to stop, with this number of requests allowed in flight."""
        return self.in_a_row >= max(MAX_CONSECUTIVE_FAILURES, 2 * allowed)


@dataclass(slots=True)
class Limits:
    """The limits of the servers: what one of them refuses slows no other."""

    ceiling: int
    """The most requests in flight to all of them together."""
    slots_asked: set[Server] = field(default_factory=set)
    """The servers that were asked how many requests they answer at once."""
    _of: dict[Server, Limit] = field(default_factory=dict)

    def of(self, server: Server) -> Limit:
        return self._of.setdefault(server, Limit(self.ceiling))

    @property
    def allowed(self) -> int:
        """The most requests in flight at present."""
        return min(self.ceiling, sum(int(limit.allowed) for limit in list(self._of.values())) or FIRST_IN_FLIGHT)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds, which all rounds share and update."""

    limits: Limits
    budget: Budget
    failures: ConsecutiveFailures
    halt: Halt
    patience_s: float = PATIENCE_S
    """How long a server is waited for that has answered before."""

    @classmethod
    def of(cls, in_flight: int, max_cost: float | None = None, halt: Halt | None = None) -> Self:
        """Return the bounds for at most `in_flight` requests at once. max_cost: USD; None for no cap."""
        return cls(
            Limits(ceiling(in_flight)),
            Budget(max_cost),
            ConsecutiveFailures(),
            halt or Halt(),
        )


def ceiling(in_flight: int) -> int:
    """Return the most requests in flight, at most `in_flight`: no more than files can be opened."""
    return max(1, min(in_flight, files_to_open()))


def files_to_open() -> int:
    """Return how many more files this process may open, without SPARED: a request in flight takes one.

    A request whose answer finds no file to be recorded in is paid for nothing.
    """
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if most == resource.RLIM_INFINITY:
            return sys.maxsize
        return most - sum(1 for _ in Path("/dev/fd").iterdir()) - SPARED
    except (ImportError, OSError):  # a system without such a limit, or that does not list them
        return sys.maxsize
