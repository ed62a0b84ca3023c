"""The one loop by which trials are sent, in whatever way requests are sent.

A supply says which trial starts next and what a trial lacks. The loop bounds how many requests are out, lets a trial go
on when its answers are there, and sends once more what failed for a passing reason. It sends nothing itself and waits
for nothing: who calls it does, with tasks (asking.py) or with a thread (asker.py).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from longctx.cells.cell import Trial
from longctx.live.attempts import passing
from longctx.live.failure import Failure
from longctx.recording.request import Request
from longctx.vocabulary.answer import Answer

RequestResult = Answer | Failure | None
"""How a request ends; a count of tokens, with None."""


@dataclass(slots=True, eq=False)
class Paused:
    """A trial that waits for answers, or starts."""

    trial: Trial
    requests: Sequence[Request] = ()
    """The requests that were sent, or will be."""
    issued: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the code under test has sent so far: when the trial goes on, the code sends it again."""
    sent: Request | None = None
    """The request of a protocol, with its prompt, while it is in flight."""
    answer: Answer | None = None
    """The last one."""
    followers: list[Paused] = field(default_factory=list)
    """Trials that start once this one has its answer, whose prompt they begin with."""
    left: int = 0
    """How many requests have not ended yet."""
    unanswered: list[tuple[Request, Failure]] = field(default_factory=list)
    """The requests that failed, and why."""
    retried: bool = False
    """Whether those that failed are sent once more."""


Sent = tuple[Paused, Request]
"""A request that is sent, and its trial."""


class Supply(Protocol):
    """The trials that a loop asks, in their order."""

    def next(self) -> Paused | None:
        """Return the next trial that may start, with its requests; None if none may now."""

    def go_on(self, paused: Paused) -> Sequence[Request]:
        """Continue a trial whose requests are answered; return those that it needs next, none if it has ended."""

    def readable(self, paused: Paused) -> None:
        """Let those start that wait for this one: what they share is in the cache, or never will be."""

    def failed(self, paused: Paused, why: Failure) -> None:
        """Note that a trial has ended without an answer."""


class Drain:
    """The loop over the trials of one supply."""

    def __init__(self, supply: Supply, most: Callable[[], int], may_send_more: Callable[[], bool]) -> None:
        """most: the requests that are now out before another trial starts. may_send_more: whether a server answers."""
        self._supply, self._most, self._may_send_more = supply, most, may_send_more
        self._out = 0
        self._ready: deque[Paused] = deque()
        self._late: deque[Paused] = deque()
        """Trials with requests that failed for a passing reason, and are sent once more when nothing else is."""
        self._again: deque[Paused] = deque()

    def take(self) -> Iterator[Sent]:
        """Yield what is sent now, one after another: a trial starts when those before it were sent."""
        while self._out < self._most() and (found := self._next()):
            paused, requests = found
            paused.left = len(requests)
            self._out += paused.left
            for request in requests:
                yield paused, request

    def ended(self, paused: Paused, request: Request, result: RequestResult) -> None:
        """Note how a request has ended."""
        self._out -= 1
        paused.left -= 1
        self._supply.readable(paused)
        if isinstance(result, Failure):
            paused.unanswered.append((request, result))
        else:
            paused.answer = result
        if paused.left:
            return
        if not paused.unanswered:
            self._ready.appendleft(paused)  # first: what it shares is still in the cache
        elif not paused.retried and all(passing(why.cause) for _, why in paused.unanswered):
            paused.retried, paused.sent = True, None
            self._late.append(paused)
        else:
            self._supply.failed(paused, paused.unanswered[0][1])

    def _next(self) -> tuple[Paused, Sequence[Request]] | None:
        """Return the next trial of which something may be sent, and what; None if no request may be sent now."""
        while True:
            if self._ready:
                paused = self._ready.popleft()
                if requests := self._supply.go_on(paused):
                    return paused, requests
            elif paused_or_none := self._supply.next():
                return paused_or_none, paused_or_none.requests
            elif self._again:
                paused = self._again.popleft()
                if self._may_send_more():
                    unanswered, paused.unanswered = paused.unanswered, []
                    return paused, [request for request, _ in unanswered]
                self._supply.failed(paused, paused.unanswered[0][1])
            elif self._late and not self._out:
                self._again, self._late = self._late, self._again
            else:
                return None


class InOrder:
    """The order of requests: as given, but each after the one that writes its prefix to the prompt cache.

    A cached prefix can be read only once the request that wrote it was answered. Neighbours that are in flight at the
    same time would each pay for writing the prefix that they share.
    """

    def __init__(self, requests: Sequence[Request]) -> None:
        self._ready: deque[Request] = deque()
        self._waiting: dict[str, list[Request]] = defaultdict(list)
        here = {request.key for request in requests}
        for request in requests:
            first = request.shared.after
            (self._waiting[first] if first in here else self._ready).append(request)

    def next(self) -> Request | None:
        return self._ready.popleft() if self._ready else None

    def readable(self, key: str) -> None:
        """Note that a request was answered, or never will be: those that waited for it are next."""
        if self._waiting:
            self._ready.extendleft(reversed(self._waiting.pop(key, [])))

    def left(self) -> Iterator[Request]:
        """Yield the requests that were not taken."""
        yield from self._ready
        for waiting in self._waiting.values():
            yield from waiting
