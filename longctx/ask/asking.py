"""The asking pass: one process asks what the tape lacks, in an order that lets prompts share their beginning.

Workers take questions from one agenda, so neighbours are asked close together; each answer is on the tape before the
next question of that worker. What a second request may help is sent again after a pause; what cannot be asked keeps its
typed cause.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

import httpx2
from anthropic import APIStatusError

from longctx.ask import retry
from longctx.ask.agenda import Agenda
from longctx.ask.bounds import Bounds
from longctx.ask.case import Case, Question
from longctx.ask.failure import Failure, explain
from longctx.ask.flight import FLIGHT, Flight, Grounded
from longctx.ask.money import highest_cost
from longctx.ask.pace import retry_after_s
from longctx.ask.prepared import Prepared
from longctx.ask.providers import Client
from longctx.ask.reply import read_message
from longctx.ask.slots import Slots
from longctx.ask.tape import WANTED, Tape, Wanted
from longctx.ask.transport import UNRECORDED
from longctx.ask.watch import Watch
from longctx.vocabulary.scenario import Reply, Trial

START_APART_S = 0.008
"""Between the first requests. Begun at once, answers of one latency come at once, for ever, and each waits until the
event loop has gone through all the others. So long it takes to deal with one."""
AHEAD = 4
"""For each so many requests in flight, one more question is built, to be sent when one of them is answered."""
SHORT_TOKENS = 10_000
"""A longer prompt is built on a thread: it takes milliseconds, in which others could be answered. A shorter one takes
less than handing it over."""

SIGNED = ("bedrock", "vertex", "foundry")
"""Providers whose clients sign a request, or give it a short-lived token, when they build it. It must not wait then."""


class Progress(Protocol):
    """Told how many requests are in flight, of every question as it ends, and what is waited for while none does."""

    def in_flight(self, number: int) -> None: ...

    def waiting(self, silent_s: float, what: str) -> None: ...

    def ended(self, question: Question, trial: Trial, result: Reply | Failure) -> None: ...


@dataclass(slots=True)
class Asked:
    """What an asking pass did: how many were answered, and why the others were not, by `Question.key`.

    stopped: what kept it from asking on. settled: why the rest needed no asking. others: (model asked for, model that
    the server says it was) -> answers, where they differ.
    """

    answered: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)
    stopped: Failure | None = None
    settled: Failure | None = None
    others: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Asked) -> None:
        """What a further round did."""
        self.answered += other.answered
        self.failures |= other.failures
        self.others += other.others
        self.stopped = other.stopped


async def ask_all(
    client: Client, tape: Tape, questions: Sequence[Question], bounds: Bounds, progress: Progress
) -> Asked:
    """Ask with as many requests at once as the limit allows, which learns from the server. Never raises for what a
    server does."""
    asking = _Asking(client.with_options(max_retries=0), tape, bounds, progress)
    agenda = Agenda(questions)
    ceiling = bounds.limit.ceiling
    places = range(min(ceiling + ceiling // AHEAD, len(questions)))
    with ThreadPoolExecutor(max_workers=1) as builder, _out_of_collection():
        workers = [asyncio.create_task(asking.work(agenda, builder, place * START_APART_S)) for place in places]
        asking.watch.begin()
        try:
            await asyncio.gather(*workers)
        finally:
            asking.watch.end()
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
    asked = asking.asked
    for question in agenda.left():
        asked.failures[question.key] = asked.stopped or Failure("not_asked", "not reached")
    return asked


@contextlib.contextmanager
def _out_of_collection() -> Iterator[None]:
    """Keep what is there already out of garbage collection. To go through it takes a tenth of a second, in which
    answers pile up that came apart; and those of one latency then come together, for ever."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class _Asking:
    """What the workers of one pass share."""

    def __init__(self, client: Client, tape: Tape, bounds: Bounds, progress: Progress) -> None:
        self.asked = Asked()
        self._client, self._tape, self._progress = client, tape, progress
        self._slots, self._budget, self._patience = Slots(bounds.limit), bounds.budget, bounds.patience
        self._settled = asyncio.Condition()
        self._longest_s = 0.0
        self._failed = ""
        self.watch = Watch(self._awaited, progress.waiting, asyncio.get_running_loop())

    def _awaited(self) -> str:
        """What is waited for while nothing ends."""
        url = str(self._client.base_url).rstrip("/")
        failed = f" (the last one failed: {self._failed})" if self._failed else ""
        if (held_s := self._slots.held_s) > 0:
            return f"a pause of {held_s:,.0f} s more, which {url} asks for{failed}"
        if not self._slots.taken:
            return f"the next attempt{failed}"
        which = "next" if self.asked.answered or self.asked.failures else "first"
        each = f"for up to {self._longest_s:g} s each"
        return f"the {which} answer of {url}: {self._slots.taken} in flight, {each}{failed}"

    async def work(self, agenda: Agenda, builder: Executor, after_s: float) -> None:
        await asyncio.sleep(after_s)
        while self.asked.stopped is None and (question := await agenda.next()) is not None:
            if question.case.size_tokens <= SHORT_TOKENS:
                prepared = Prepared.of(question)
            else:
                prepared = await asyncio.get_running_loop().run_in_executor(builder, Prepared.of, question)
            result = await self._answer(prepared)
            self._keep(question, result)
            await (agenda.close() if self.asked.stopped else agenda.ended(question))
            self.watch.begin()
            self._progress.ended(question, prepared.trial, result)

    def _keep(self, question: Question, result: Reply | Failure) -> None:
        if isinstance(result, Reply):
            self.asked.answered += 1
            self._patience.in_vain = 0
            model = question.case.model
            if result.model not in ("", model.model, model.sent_as):
                self.asked.others[model.model, result.model] += 1
            return
        self.asked.failures[question.key] = result
        self._patience.in_vain += 1
        if result.fatal:
            self._stop(result)
        elif self._patience.ended:
            message = (
                f"{self._patience.in_vain} trials in a row were not answered, so no more were asked. "
                f"The last: {result.message}"
            )
            self._stop(Failure(result.cause, message, fatal=True))

    def _stop(self, why: Failure) -> None:
        self.asked.stopped = self.asked.stopped or why
        self._slots.close()

    async def _answer(self, prepared: Prepared) -> Reply | Failure:
        """The reply, or what the last attempt failed by."""
        attempts = 0
        while True:
            attempts += 1
            result, pause = await self._attempt(prepared)
            self._failed = "" if isinstance(result, Reply) else result.message
            if isinstance(result, Reply) or not self._sent_again(result, attempts):
                return result
            await self._slots.pause(retry.pause_s(attempts) if pause is None else pause)

    def _sent_again(self, failure: Failure, attempts: int) -> bool:
        return self.asked.stopped is None and retry.sent_again(failure.cause, attempts)

    async def _attempt(self, prepared: Prepared) -> tuple[Reply | Failure, float | None]:
        """One request, if the budget has room for it; and the seconds after which the server wants the next."""
        case = prepared.question.case
        most = highest_cost(case.model, case.size_tokens, case.reply_tokens, case.longest_tokens)
        if not await self._room(most):
            cap = Failure("budget", f"the cap of ${self._budget.cap or 0:,.2f} leaves no room for it", fatal=True)
            return self.asked.stopped or cap, None
        result, pause = await self._send(prepared)
        async with self._settled:
            self._budget.settle(most, result, case.model.prices)
            self._settled.notify_all()
        return result, pause

    async def _room(self, most: float) -> bool:
        """Take room for a request, waiting while what is in flight may yet cost less than was reserved for it."""
        budget = self._budget
        async with self._settled:
            await self._settled.wait_for(lambda: self.asked.stopped or budget.has_room(most) or not budget.in_flight)
            return self.asked.stopped is None and budget.take(most)

    async def _send(self, prepared: Prepared) -> tuple[Reply | Failure, float | None]:
        case = prepared.question.case
        WANTED.set(prepared.wanted)
        try:
            async with self._flight(case) as flight:
                FLIGHT.set(flight)
                if case.model.provider in SIGNED:
                    await flight.take_off()
                raw = await self._client.messages.with_raw_response.create(
                    **prepared.sent, timeout=case.model.timeout_s
                )
            return self._recorded(prepared.wanted, raw.http_response), None
        except Exception as error:
            if self.asked.stopped and isinstance(error.__cause__ or error, Grounded):
                return self.asked.stopped, None
            pause = retry_after_s(error.response.headers) if isinstance(error, APIStatusError) else None
            return explain(error, self._client.base_url, case.id), pause

    def _flight(self, case: Case) -> Flight:
        self._longest_s = max(self._longest_s, case.model.timeout_s)
        return Flight(
            self._slots,
            case.size_tokens,
            case.model.timeout_s,
            stopped=lambda: self.asked.stopped is not None,
            watch=self._progress.in_flight,
        )

    def _recorded(self, wanted: Wanted, response: httpx2.Response) -> Reply:
        """The answer as it stands on the tape. Raises what kept it from being written there."""
        if error := response.extensions.get(UNRECORDED):
            raise error
        reply = self._tape.reply(wanted)
        if reply is None:
            read_message(response.content)
            raise AssertionError("an answered question is not on the tape")
        return reply
