"""Asking single requests from another thread, each of which is answered as soon as the server replies.

The live pass of tests has all of its requests in advance (asking.py); a test function issues a request when the
reply to the one before is there.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Any, Self

from longctx import clocks, connections
from longctx.config.models import ModelProfile
from longctx.live.asking import Asking
from longctx.live.bounds import Terms
from longctx.live.cost.money import Budget, check_cap
from longctx.live.display import Tally
from longctx.live.drain import Drain, RequestResult, Sent, Supply
from longctx.live.failure import Failure, SendResult
from longctx.live.interrupted import stopping
from longctx.live.progress import live_progress
from longctx.live.server.calls import count_body, read_count
from longctx.live.server.client import Client, key_of, open_clients
from longctx.live.server.explaining import explain
from longctx.live.watch import Say
from longctx.recording.apis import api_at, messages
from longctx.recording.request import Request
from longctx.recording.tape import Tape
from longctx.vocabulary.answer import Answer

STARTED = 4
"""The most trials that wait for answers, for each request that may be in flight."""
SIGNALS_S = 0.5
"""How often a wait ends, so that a signal is handled that came just before it: such a signal wakes no lock."""


class Asker:
    """A client in its own thread, with one limiter and one budget. Entering it opens the client.

    Entering raises UserError if the client cannot be opened.
    """

    def __init__(
        self,
        tape: Tape,
        models: Sequence[ModelProfile],
        terms: Terms,
        tally: Tally,
        say: Say,
        budget: Budget | None = None,
    ) -> None:
        """tally: counts what is asked; its `done` is the caller's. say: prints a sentence.

        budget: that of the run, if it has spent some already.
        """
        if all(model.prices is None for model in models):  # those of a run are checked before
            check_cap(terms.max_cost, list(models))
        self.tape, self.tally, self.in_flight = tape, tally, terms.in_flight
        self._models, self._terms, self._say = models, terms, say
        self._budget = budget or Budget(terms.max_cost)
        self._loop = clocks.new_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(initializer=connections.are_own))
        self._opened: Future[Asking] = Future()
        self._closing = asyncio.Event()
        self._answering: set[asyncio.Task[Any]] = set()
        """The tasks of what is submitted; only the thread of the client touches them."""
        self._thread = threading.Thread(target=self._run, name="longctx-asker", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._asking = self._opened.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    @property
    def asked(self) -> SendResult:
        """The requests so far."""
        return self._asking.asked

    @property
    def allowed(self) -> int:
        """The most requests in flight at present."""
        return self._asking.limits.allowed

    def drain(self, supply: Supply) -> None:
        """Ask the trials of a supply, until none may start and nothing is in flight."""
        out: dict[Future[RequestResult], Sent] = {}
        loop = Drain(supply, lambda: STARTED * self.allowed, lambda: self._asking.may_send_more)
        while True:
            for paused, request in loop.take():
                out[self.submit(request)] = paused, request
            if not out:
                return
            done, _ = wait(out, SIGNALS_S, FIRST_COMPLETED)
            for future in done:
                loop.ended(*out.pop(future), future.result())

    def wait(self) -> None:
        """Wait for all that was submitted, also by a call that a signal interrupted before it returned."""
        ended = asyncio.run_coroutine_threadsafe(self._ended(), self._loop)
        while wait([ended], SIGNALS_S).not_done:
            pass

    def submit(self, request: Request) -> Future[RequestResult]:
        """Send a request when the limiter and the budget allow; its answer is recorded before the future is done.

        The result of a count of tokens is None.
        """
        return asyncio.run_coroutine_threadsafe(self._answer(request), self._loop)

    def halt(self) -> None:
        """Send nothing more, and say what is in flight. It does not wait, so that a signal's handler may call it."""
        self._loop.call_soon_threadsafe(lambda: self._say(stopping(self._asking.halted())))

    async def _answer(self, request: Request) -> RequestResult:
        connections.are_own()  # the task has the context of the thread that submitted it
        task = asyncio.current_task()
        assert task
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)
        if self._asking.asked.stopped:
            return self._asking.asked.stopped
        if request.place.counts:
            return await count(self._clients.of(request.model), self.tape, request)
        result = await self._asking.asked_for(request)
        if isinstance(result, Answer):
            self.tally.answered(result, request.model.prices)
        self._progress.ended(request, result)
        return result

    async def _ended(self) -> None:
        """Return when nothing is in flight. A task that was submitted before this one has begun."""
        while self._answering:
            await asyncio.wait(self._answering)

    def _run(self) -> None:
        connections.are_own()
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:
            if not self._opened.done():
                self._opened.set_exception(error)
            else:
                raise
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        async with open_clients(self.tape, self._terms.base_url, self.in_flight, self._models) as clients:
            self._clients = clients.without_retries()
            self._bounds = self._terms.bounds(budget=self._budget)
            with live_progress(self.tally, self._say) as self._progress:
                await self._served()

    async def _served(self) -> None:
        asking = Asking(self._clients, self.tape, self._bounds, self._progress)
        asking.watch.begin()
        self._opened.set_result(asking)
        await self._closing.wait()
        asking.watch.end()
        pending = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


async def count(client: Client, tape: Tape, request: Request) -> Failure | None:
    """Ask for a count of tokens, which is free, and record it."""
    try:
        content = await count_body(client, request)
        read_count(content, (api_at(request.place.path) or messages).COUNT_FIELD)
        now = clocks.stamp()
        answer = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": content}}
        tape.record(request.place, answer, now, None)
    except Exception as error:
        return explain(error, client.base_url, request.cell.id, key_of(request.model))
    return None
