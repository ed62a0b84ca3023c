"""Whether a server is there: one that has answered and goes away is waited for, while one request asks after it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from longctx.live.attempts import pause_s
from longctx.live.failure import Failure
from longctx.vocabulary.answer import Answer

AFTER = 4
"""The failures in a row, of more than one request, by which a server that still refuses requests itself is away."""


@dataclass(slots=True)
class Outage:
    """The time in which a server is away."""

    began: float
    patience_s: float
    probes: int = 0
    requested_s: float = 0.0
    """The pause that the server requests before the next probe."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the request that asks whether the server is back; it passes to the one that has waited longest."""

    def next_pause_s(self, now: float) -> float | None:
        """Return the seconds before the next probe; None if the patience would end before."""
        self.probes += 1
        seconds = max(pause_s(self.probes), self.requested_s)
        return seconds if now - self.began + seconds <= self.patience_s else None


@dataclass(slots=True)
class Availability:
    """The state of one server, by the results of its requests."""

    patience_s: float
    answered: bool
    """Whether it has answered in this run: a server that never did is not waited for."""
    outage: Outage | None = None
    """None while it is there."""
    _in_a_row: int = 0
    _requests: set[str] = field(default_factory=set)
    """The keys of the requests that failed in a row."""

    def note(self, key: str, result: Answer | Failure, pause: float | None, now: float) -> None:
        """Note what became of a request. key: the request's. pause: the seconds that the server requests."""
        if isinstance(result, Answer) or not result.outage:
            self.answered |= isinstance(result, Answer)
            self.outage, self._in_a_row = None, 0
            self._requests.clear()
            return
        self._in_a_row += 1
        self._requests.add(key)
        if self.outage:
            self.outage.requested_s = pause or 0.0
        elif self.answered and (result.fatal or (self._in_a_row >= AFTER and len(self._requests) > 1)):
            self.outage = Outage(now, self.patience_s, requested_s=pause or 0.0)
