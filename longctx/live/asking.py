"""The live pass: one process asks what the tape lacks, in an order in which neighbours share a prefix.

Each answer is on the tape before the next trial starts in its place. A request that failed for a passing reason is sent
again after a backoff, and once more when all others have ended (drain.py); every trial that was not answered keeps the
cause.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import httpx2
from anthropic import APIStatusError

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.live.attempts import MOST_S, pause_s, sent_again
from longctx.live.bounds import Bounds
from longctx.live.cost.money import most_paid
from longctx.live.disk import Disk
from longctx.live.drain import Drain, InOrder, Paused, Sent, Supply
from longctx.live.failure import NOT_ASKED, Failure, SendResult
from longctx.live.interrupted import sends_the_rest
from longctx.live.limiter import Slots
from longctx.live.outages import Availability, Outage
from longctx.live.progress import Progress
from longctx.live.rate_limits import retry_after_s, retry_info_s, room_in_s, stated_start
from longctx.live.server.calls import send
from longctx.live.server.client import Client, Clients, Server, key_of
from longctx.live.server.explaining import explain
from longctx.live.server.says import LLAMA, slots_of
from longctx.live.watch import Watch
from longctx.logs import LOG
from longctx.recording.apis import check_answer
from longctx.recording.request import Place, Request
from longctx.recording.tape import PLACE, Tape
from longctx.results.grouping import grouped
from longctx.text import count
from longctx.vocabulary.answer import Answer

MOST_SHOWN_S = 365 * 86_400.0
"""The longest pause whose length is shown."""


async def ask_all(
    clients: Client | Clients, tape: Tape, requests: Sequence[Request], bounds: Bounds, progress: Progress
) -> SendResult:
    """Send all of these requests, with as many requests in flight as the adaptive limit allows.

    Nothing that a server does raises an exception.
    """
    given = Clients.taken(clients).without_retries()
    asking = Asking(given, tape, bounds, progress)
    by_server = grouped(requests, lambda request: given.server_of(request.model))
    supplies = {server: ProtocolTrials(asking.asked, some, progress) for server, some in by_server.items()}
    await asking.drain(supplies, bounds)
    asked = asking.asked
    for supply in supplies.values():
        for request in supply.order.left():
            asked.failures[request.trial.key] = asked.stopped or Failure(NOT_ASKED, "not reached")
    return asked


class ProtocolTrials:
    """Trials that each send one request, known in advance, and are judged as their answers arrive."""

    def __init__(self, asked: SendResult, requests: Sequence[Request], progress: Progress) -> None:
        """asked: says whether the live pass has stopped. progress: receives the end of each trial."""
        self.order = InOrder(requests)
        self._asked, self._progress = asked, progress

    def next(self) -> Paused | None:
        request = None if self._asked.stopped else self.order.next()
        return Paused(request.trial, [request]) if request else None

    def go_on(self, paused: Paused) -> Sequence[Request]:
        assert paused.answer is not None
        self._end(paused, paused.answer)
        return ()

    def readable(self, paused: Paused) -> None:
        if not self._asked.stopped:
            self.order.readable(paused.requests[0].key)

    def failed(self, paused: Paused, why: Failure) -> None:
        self._end(paused, why)

    def _end(self, paused: Paused, result: Answer | Failure) -> None:
        self._progress.ended(paused.sent or paused.requests[0], result)


class Asking:
    """The state that the requests of one pass share."""

    def __init__(self, clients: Clients, tape: Tape, bounds: Bounds, progress: Progress) -> None:
        self.asked = SendResult()
        self._clients, self._tape, self._progress = clients, tape, progress
        self.limits = bounds.limits
        room = asyncio.Semaphore(bounds.limits.ceiling)
        self._slots = {server: Slots(bounds.limits.of(server), self._changed, room) for server in clients.of_servers}
        self._retries = 0
        self._budget, self._failures = bounds.budget, bounds.failures
        self._settled = asyncio.Condition()
        self._longest_s = 0.0
        self._failed = ""
        self._disk = Disk(tape.all_written)
        self._patience_s, answering = bounds.patience_s, bounds.failures.servers
        self._there = {server: Availability(bounds.patience_s, server in answering) for server in clients.of_servers}
        self.watch = Watch(self._awaited, progress.waiting, asyncio.get_running_loop())

    def _awaited(self) -> str:
        """Return what the pass is waiting for, as an object of "waiting for"."""
        url = self._clients.named
        failed = f" (the last one failed: {self._failed})" if self._failed else ""
        if away := [self._clients.url(server) for server, there in self._there.items() if there.outage]:
            minutes = f"{self._patience_s / 60:g} minutes"
            return f"{' and '.join(away)} to come back, for up to {minutes}{failed}"
        for server, slots in self._slots.items():
            if (held_s := slots.held_s) > 0:
                return f"a pause of {held_s:,.0f} s more, requested by {self._clients.url(server)}{failed}"
        if not self._in_flight:
            return f"the next attempt{failed}" if failed else "the next request; none is in flight"
        which = "next" if self.asked.answered or self.asked.failures else "first"
        each = f"for up to {self._longest_s:g} s each"
        return f"the {which} answer of {url}: {self._in_flight} in flight, {each}{failed}"

    @property
    def _in_flight(self) -> int:
        """The requests in flight."""
        return sum(slots.sent for slots in self._slots.values())

    def _changed(self) -> None:
        """Tell how many requests are in flight, why they are fewer than before, and how many were sent again."""
        fell = {server: slots.limit.fell for server, slots in self._slots.items() if slots.limit.fell}
        several = len(self._slots) > 1
        why = "; ".join(f"{why} of {self._clients.url(server)}" if several else why for server, why in fell.items())
        retries = f", {count(self._retries, 'retry', 'retries')}" if self._retries else ""
        self._progress.in_flight(self._in_flight, f"{f' ({why})' if why else ''}{retries}")

    async def drain(self, supplies: Mapping[Server, Supply], bounds: Bounds) -> None:
        """Ask the trials of each server's supply, until none may start and nothing is in flight."""
        self.watch.begin()
        try:
            with bounds.halt.stopping(self.halted):
                await asyncio.gather(*(self._drain(supply, self._slots[server]) for server, supply in supplies.items()))
        finally:
            self.watch.end()

    async def _drain(self, supply: Supply, slots: Slots) -> None:
        loop = Drain(supply, lambda: slots.most, lambda: self.may_send_more)
        tasks: dict[asyncio.Task[Answer | Failure], Sent] = {}
        ended: asyncio.Queue[asyncio.Task[Answer | Failure]] = asyncio.Queue()
        try:
            while True:
                for sent in loop.take():
                    tasks[task := asyncio.create_task(self._sent(*sent))] = sent
                    task.add_done_callback(ended.put_nowait)
                if not tasks:
                    return
                task = await ended.get()
                loop.ended(*tasks.pop(task), task.result())
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _sent(self, paused: Paused, request: Request) -> Answer | Failure:
        try:
            paused.sent = request.ready()
        except UserError as error:  # the prompt of this trial alone: the others are sent
            result = Failure(error.code, error.sentence)
            self.keep(request, result)
            return result
        return await self.asked_for(paused.sent)

    async def asked_for(self, request: Request) -> Answer | Failure:
        """Send a request until it is answered or fails; note which."""
        result = await self.answer(request)
        self.keep(request, result)
        self.watch.begin()
        return result

    @property
    def may_send_more(self) -> bool:
        """Whether the server has answered, and nothing has stopped the live pass."""
        return self.asked.stopped is None and self._failures.answered

    def keep(self, request: Request, result: Answer | Failure) -> None:
        if isinstance(result, Answer):
            self.asked.note(request, result)
            self.asked.failures.pop(request.trial.key, None)
            self._failures.in_a_row, self._failures.answered = 0, True
            return
        self.asked.failures[request.trial.key] = result
        self._failures.in_a_row += 1
        if result.fatal:
            self._stop(result)
        elif self._failures.ended(self.limits.allowed):
            message = (
                f"{self._failures.in_a_row} trials in a row were not answered, so the run stopped. The last: "
                f"{result.message}"
            )
            self._stop(Failure(result.cause, message, fatal=True))

    def halted(self) -> str:
        """Send nothing more; return what is in flight, as an object of "waiting for", empty if nothing is."""
        self._stop(Failure(NOT_ASKED, "the run was stopped", fatal=True))
        number = self._in_flight
        return f"{number:,} in flight, for up to {self._longest_s:g} s each" if number else ""

    def _stop(self, why: Failure) -> None:
        self.asked.stopped = self.asked.stopped or why
        for slots in self._slots.values():
            slots.close()

    async def answer(self, request: Request) -> Answer | Failure:
        """Return the answer, or the failure of the last attempt."""
        attempts, server = 0, self._clients.server_of(request.model)
        while True:
            attempts += 1
            result, pause = await self._tried(request, server)
            if isinstance(result, Failure) and self._there[server].outage and self.asked.stopped is None:
                attempts = 0  # it is not the request's fault
                continue
            if isinstance(result, Answer) or not self._sent_again(result, attempts):
                return result
            self._retries += 1
            await self._slots[server].before_another(pause_s(attempts) if pause is None else pause)

    async def _tried(self, request: Request, server: Server) -> tuple[Answer | Failure, float | None]:
        """Send a request, and return as `_attempt`.

        While its server is away, the requests to it take turns in asking whether it is back. The live pass stops if
        that takes longer than its patience.
        """
        there = self._there[server]
        while (outage := there.outage) and self.asked.stopped is None:
            async with outage.turn:
                if there.outage is outage and await self._paused(outage, server):
                    result = await self._noted(request, server)
                    if not there.outage:
                        return result
        return await self._noted(request, server)

    async def _noted(self, request: Request, server: Server) -> tuple[Answer | Failure, float | None]:
        result, pause = await self._attempt(request)
        self._there[server].note(request.key, result, pause, asyncio.get_running_loop().time())
        self._failed = "" if isinstance(result, Answer) else result.message
        if isinstance(result, Answer):
            self._failures.servers.add(server)
        return result, pause

    async def _paused(self, outage: Outage, server: Server) -> bool:
        """Wait before the next probe of a server; return whether it may be sent."""
        seconds = outage.next_pause_s(asyncio.get_running_loop().time())
        if seconds is None:
            message = (
                f"{self._clients.url(server)} was away for {self._patience_s / 60:g} minutes, so the run stopped. "
                f"{self._failed} {sends_the_rest(self._tape)}"
            )
            self._stop(Failure("connection", message.rstrip(), fatal=True))
        else:
            await self._slots[server].before_another(seconds)
        return self.asked.stopped is None

    def _sent_again(self, failure: Failure, attempts: int) -> bool:
        absent = failure.fatal and not self._failures.answered  # a server that has answered may come back
        return self.asked.stopped is None and not absent and sent_again(failure.cause, attempts)

    async def _attempt(self, request: Request) -> tuple[Answer | Failure, float | None]:
        """Send one request if the budget has room; return its result, and the pause in seconds the server requests."""
        most = most_paid(request)
        if not await self._room(most):
            return self.asked.stopped or self._budget.exceeded(), None
        result, pause = await self._send(request)
        async with self._settled:
            self._budget.settle(most, result, request.model.prices)
            self._settled.notify_all()
        return result, pause

    async def _room(self, most: float) -> bool:
        """Reserve USD for a request. Wait as long as requests in flight may cost less than was reserved for them.

        Returns False if the budget has no room.
        """
        budget = self._budget
        async with self._settled:
            await self._settled.wait_for(lambda: self.asked.stopped or budget.has_room(most) or not budget.in_flight)
            return self.asked.stopped is None and budget.take(most)

    async def _send(self, request: Request) -> tuple[Answer | Failure, float | None]:
        """Send one request in its own slot; return as `_attempt` does."""
        cell, model = request.cell, request.model
        client, slots = self._clients.of(model), self._slots[self._clients.server_of(model)]
        timeout_s = model.timeout_s
        self._longest_s = max(self._longest_s, timeout_s)
        PLACE.set(request.place)
        async with slots.slot() as changes:
            number = slots.started
            if self.asked.stopped is None and (full := self._disk.full(self._in_flight)):
                self._stop(full)
            if self.asked.stopped:
                return self.asked.stopped, None
            try:
                async with asyncio.timeout(timeout_s):
                    response = await send(client, request, timeout_s)
                LOG.debug("%s of %s: answered, status %d", cell.id, model.model, response.status_code)
                if (most := await self._stated(response, client, model)) is not None:
                    slots.limit.stated(most)
                slots.answered(timeout_s, number)
                self._disk.recorded(len(response.content))
                self._hold(client, slots, room_in_s(response.headers, request.tokens.prompt))
                return self._recorded(request.place, response.content), None
            except Exception as error:
                LOG.debug("%s of %s: %s", cell.id, model.model, type(error).__name__)
                pause = None
                if isinstance(error, APIStatusError):
                    pause = retry_after_s(error.response.headers)
                    pause = retry_info_s(error.body) if pause is None else pause
                away = self._there[self._clients.server_of(model)].outage
                if isinstance(error, APIStatusError) and error.status_code in (429, 529) and not away:
                    slots.refused(changes, str(error.status_code))
                    self._hold(client, slots, pause or 0.0)
                elif pause is not None and pause > MOST_S:  # of any status: nobody waits for it
                    self._hold(client, slots, pause)
                return explain(error, client.base_url, cell.id, key_of(model)), pause

    async def _stated(self, response: httpx2.Response, client: Client, model: ModelProfile) -> float | None:
        """Return how many requests a server says that it takes now, in its answer or once if asked; None if unknown."""
        most, asked, server = stated_start(response.headers), self.limits.slots_asked, self._clients.server_of(model)
        if most is not None or response.headers.get("server") != LLAMA or server in asked:
            return most
        asked.add(server)
        return await slots_of(client)

    def _hold(self, client: Client, slots: Slots, seconds: float) -> None:
        """Send nothing to a server for these seconds; stop if nobody waits that long."""
        if seconds <= MOST_S:
            slots.hold(seconds)
            return
        length = f"{seconds / 60:,.0f} minutes" if seconds < MOST_SHOWN_S else "more than a year"
        message = (
            f"{str(client.base_url).rstrip('/')} requests a pause of {length}, but a run waits for {MOST_S / 60:.0f} "
            f"minutes at most. {sends_the_rest(self._tape)}"
        )
        self._stop(Failure("rate_limit", message.rstrip(), fatal=True))

    def _recorded(self, place: Place, content: bytes) -> Answer:
        """Return the answer that the transport put on the tape. Raises MalformedAnswer if it is not a message."""
        answer = self._tape.reply(place)
        if answer is None:
            check_answer(place.path, content)
            raise AssertionError("an answered question is not on the tape")
        return answer
