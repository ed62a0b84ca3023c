"""The concurrency limit: the most requests in flight to one server, which adapts to what it accepts.

A run starts with 16, or with what a rate-limit header or llama-server's `/slots` allows, and doubles them for as long
as a server then gives more answers a second. A server that is seen to answer one request at a time gets one at a time.
A refused request halves the limit, as in TCP. With each round of answers the limit then closes nearly two thirds of
the gap to one less than was refused. Later the refused limit itself is tried again. If it is refused again, that is
the server's limit, and the next trial waits twice as long. If it holds, the server limits requests a second, not those
in flight, or bears more than before, and the limit doubles on. Pauses that the server requests (`retry-after`, the
headers of its rate limits) are kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from longctx.config.project import FIRST_IN_FLIGHT

FASTER = 1.15
"""How many times the answers per second a doubled limit must give to be kept."""
MEASURED = 8
"""The fewest answers by which a pace is measured."""
FULL = 0.7
"""The least share of a limit that must be in flight, on average, to tell how fast a server is at that limit."""
PATIENCE = 8
"""The rounds until a doubling that gave nothing is tried again; twice as many the next time."""
ONE_BY_ONE = 6
"""After how many answers of a first round it is judged whether a server answers one request at a time."""
EVENLY = 0.7
"""It does if they took at least this share of so many times the seconds until the first answer."""
AGAIN = 2.0
"""The rounds after a refusal until the refused limit is tried again; twice as many each time that it is refused."""
MOST_ROUNDS = 32.0
"""The most that they become."""
BELOW = 0.5
"""How far below it the limit stays until then: whole requests count, so that it is one less."""
HELD = 2.0
"""For how many rounds it is then held: the answers of the first are to requests that were sent before."""


@dataclass(slots=True)
class Limit:
    """The adaptive limit. Times are seconds of the caller's clock. A round is as many answers as the limit allows."""

    ceiling: int
    """The most requests ever."""
    start: int = FIRST_IN_FLIGHT
    """The first limit, if the ceiling allows it."""
    allowed: float = field(init=False)
    """The current limit."""
    refused_at: float = math.inf
    """The limit at the last refusal."""
    held_until: float = 0.0
    """The time before which nothing is sent."""
    changes: int = 0
    """How often the limit was halved; each request remembers this number, so that one overload halves the limit
    once."""
    fell: str = ""
    """Why the limit is lower than it was; empty if it is not."""
    _rounds: float = 0.0
    """The rounds since the last refusal."""
    _again: float = AGAIN
    """The rounds after which the refused limit is tried again."""
    _held: float = math.inf
    """The rounds after which it was held for a whole one; infinite while it is not tried."""
    _pace: Pace = field(init=False)
    """The pace at the current limit."""
    _slower: tuple[int, float] | None = None
    """The limit before a doubling that is being tried, and its answers per second."""
    _patience: int = PATIENCE
    _first_round: FirstRound | None = field(default_factory=lambda: FirstRound())
    """None once it was judged."""

    def __post_init__(self) -> None:
        self.allowed = float(min(self.start, self.ceiling))
        self._pace = Pace(0)

    def in_flight(self, number: int, now: float) -> None:
        """Note that this number of requests is in flight from now on."""
        self._pace.until(now)
        self._pace.taken = number
        if self._first_round:
            self._first_round.in_flight(number, now)

    def stated(self, most: float) -> None:
        """Note how many requests a server says that it takes now. Before anything was judged, they are the start."""
        if self._first_round and not self._slower and self.refused_at == math.inf:
            allowed = float(max(1, min(self.ceiling, most)))
            if allowed < self.allowed:  # those that are in flight tell nothing of the new limit
                self._pace = self._pace.afresh(-self._pace.taken)
            self.allowed = allowed

    def answered(self, now: float = 0.0, timeout_s: float = math.inf, number: int = 0) -> None:
        """Note that a request was answered. number: its place in the order of sending."""
        if self.refused_at < math.inf:
            self._recover()
            return
        self._pace.answer(now)
        level = int(self.allowed)
        if self._first_round and level > 1 and self._first_round.answer(now, number):
            one_by_one, self._first_round = self._first_round.one_by_one, None
            if one_by_one:
                self.allowed, self._slower, self.fell = 1.0, None, "it answers one at a time"
                self._pace = self._pace.afresh(-level)
                return
        if self._pace.answers >= max(MEASURED, 2 * level if self._slower else level):
            self._judge(level, timeout_s)

    def _recover(self) -> None:
        """Grow back towards the limit that was refused, and try that again: a limit of a rate is none in flight."""
        self._rounds += 1 / self.allowed
        if self._rounds >= self._held:
            self.refused_at, self._held, self._again = math.inf, math.inf, AGAIN
            self._pace = self._pace.afresh(0)
        elif self._held == math.inf:
            self.allowed = min(
                self.ceiling, self.allowed + max(0.0, self.refused_at - BELOW - self.allowed) / self.allowed
            )
            if self._rounds >= self._again and int(self.allowed) >= self.refused_at - 1 - BELOW:
                self.allowed, self._held = min(self.refused_at, self.ceiling), self._rounds + HELD
        if self.refused_at == math.inf or int(self.allowed) >= int(self.refused_at) - 1:
            self.fell = ""

    def _judge(self, level: int, timeout_s: float) -> None:
        """Double the limit, keep a doubling, or take it back, by the pace that was measured."""
        pace, slower, left_out = self._pace, self._slower, level
        if not pace.full(level):  # there was not enough to send
            self._pace = pace.afresh(0)
            return
        rate = pace.rate(level)
        if slower and rate < FASTER * slower[1]:
            self.fell = f"{level} were no faster"
            self.allowed, self._slower, left_out = slower[0], None, slower[0] * self._patience
            self._patience *= 2
        elif level < self.ceiling and pace.latency_s <= timeout_s / 4:  # it would double with a server that queues
            self.fell = ""
            self.allowed, self._slower = min(2 * level, self.ceiling), (level, rate)
        else:
            self._slower = None
        self._pace = pace.afresh(-left_out)

    def refused(self, changes: int, why: str = "refusal") -> None:
        """Note that an overloaded server refused a request, which was sent after `changes` halvings."""
        if changes == self.changes:
            self.changes += 1
            if self._held < math.inf:
                self.allowed, self._held = max(1.0, self.refused_at - 1), math.inf
                self._again = min(2 * self._again, MOST_ROUNDS)
            else:
                self.refused_at, self.allowed = self.allowed, max(1.0, self.allowed / 2)
            self.fell = f"{self.refused_at:.0f} before a {why}"
            self._rounds = 0.0

    def hold(self, until: float) -> None:
        """Send nothing before this time."""
        self.held_until = max(self.held_until, until)


@dataclass(slots=True)
class FirstRound:
    """The first answers of a server that was sent several requests at once."""

    began: float | None = None
    """When something was first in flight; None while nothing is."""
    answers: list[tuple[float, int]] = field(default_factory=list)
    """The seconds until each, and the place of its request among those that were sent."""

    def in_flight(self, number: int, now: float) -> None:
        if not number:
            self.began = None
            self.answers.clear()
        elif self.began is None:
            self.began = now

    def answer(self, now: float, number: int) -> bool:
        """Note an answer; return whether there are enough of them."""
        if self.began is not None:
            self.answers.append((now - self.began, number))
        return len(self.answers) >= ONE_BY_ONE

    @property
    def one_by_one(self) -> bool:
        """Whether the answers came one after another, as evenly and in the order in which they were asked for."""
        first, last = self.answers[0][0], self.answers[-1][0]
        numbers = [number for _, number in self.answers]
        inversions = sum(one > other for index, one in enumerate(numbers) for other in numbers[index + 1 :])
        return inversions <= 1 and last >= EVENLY * len(self.answers) * first > 0


@dataclass(slots=True)
class Pace:
    """How fast a server answers. It leaves out the times in which nothing, or little, was sent to it."""

    answers: int
    """Negative while answers are left out, most of which are to requests that were sent before."""
    taken: int = 0
    """The requests in flight."""
    slots_s: float = 0.0
    """The seconds that requests were in flight, of all together."""
    busy_s: float = 0.0
    """The seconds in which any was."""
    since: float = 0.0

    def until(self, now: float) -> None:
        if self.taken and self.answers >= 0:
            self.slots_s += self.taken * (now - self.since)
            self.busy_s += now - self.since
        self.since = now

    def answer(self, now: float) -> None:
        self.until(now)
        self.answers += 1

    def full(self, level: int) -> bool:
        """Return whether nearly as many were in flight as a limit allows."""
        return self.slots_s >= FULL * level * self.busy_s

    @property
    def latency_s(self) -> float:
        return self.slots_s / self.answers

    def rate(self, level: int) -> float:
        """Return the answers per second with `level` in flight: by Little's law, whatever part of the time it was."""
        return level / self.latency_s if self.slots_s else math.inf

    def afresh(self, answers: int) -> Pace:
        return Pace(answers, self.taken, since=self.since)


class Slots:
    """The requests in flight to one server, on one event loop."""

    def __init__(
        self,
        limit: Limit,
        on_change: Callable[[], object] = lambda: None,
        room: contextlib.AbstractAsyncContextManager[object] | None = None,
    ) -> None:
        """on_change: called whenever `sent` changes. room: what requests to all servers share; None for no limit."""
        self.limit, self._on_change = limit, on_change
        self._room = room or contextlib.nullcontext()
        self._changed = asyncio.Condition()
        self._closed = asyncio.Event()
        self.taken = self.waiting = self.sent = self.started = 0

    @property
    def most(self) -> int:
        """The most requests worth starting: those that may be in flight, and those that wait for another attempt."""
        return min(int(self.limit.allowed) + self.waiting, self.limit.ceiling)

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for a slot and hold it. Yields the number of halvings of the limit so far, which `refused` takes."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.taken < int(self.limit.allowed))
            self._count(1)
        try:
            while not self._closed.is_set() and (seconds := self.held_s) > 0:
                await self.pause(seconds)
            async with self._room:
                self._count_sent(1)
                try:
                    yield self.limit.changes
                finally:
                    self._count_sent(-1)
        finally:
            async with self._changed:
                self._count(-1)
                self._changed.notify_all()  # its own slot, and those that an answer may have added to the limit

    def _count(self, change: int) -> None:
        self.taken += change
        self.limit.in_flight(self.taken, self._now)

    def _count_sent(self, change: int) -> None:
        self.sent += change
        self.started += change > 0
        self._on_change()

    async def before_another(self, seconds: float) -> None:
        """Wait these seconds before another attempt at a request."""
        self.waiting += 1
        try:
            await self.pause(seconds)
        finally:
            self.waiting -= 1

    async def pause(self, seconds: float) -> None:
        """Wait for these seconds, or until the slots are closed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    def close(self) -> None:
        """End all waiting, because nothing more will be sent."""
        self._closed.set()

    def answered(self, timeout_s: float, number: int) -> None:
        """Note that a request was answered whose answer was waited for so long at most. number: its `started`."""
        self.limit.answered(self._now, timeout_s, number)

    def refused(self, changes: int, why: str) -> None:
        """Note that a request was refused whose slot was taken after `changes` halvings of the limit."""
        self.limit.refused(changes, why)

    def hold(self, seconds: float) -> None:
        """Send nothing for these seconds."""
        self.limit.hold(self._now + seconds)

    @property
    def held_s(self) -> float:
        """The seconds for which nothing will be sent; 0 or less if there is no pause."""
        return self.limit.held_until - self._now

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()
