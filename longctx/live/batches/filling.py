"""Asking in batches: create those that are needed, wait, and collect. Each step is on disk before the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import anthropic

from longctx.live.attempts import pause_s, sent_again
from longctx.live.batches.collect import (
    AGAIN,
    TIMES,
    Batches,
    BatchStatus,
    Collected,
    no_answer_sentence,
    seconds_between_looks,
    stamp,
)
from longctx.live.batches.ledger import (
    ID_LENGTH,
    Batch,
    InBatch,
    custom_id,
    new_name,
    size_of,
    split_by_limits,
)
from longctx.live.batches.service import UNSUPPORTED
from longctx.live.cost.money import Budget, most_paid
from longctx.live.failure import NOT_ASKED, Failure, SendResult
from longctx.live.progress import Progress
from longctx.live.rate_limits import retry_after_s
from longctx.live.server.addresses import without_userinfo
from longctx.live.server.calls import ENQUIRY_ERRORS
from longctx.live.server.explaining import explain
from longctx.recording.request import Place, Request


async def ask_in_batches(
    batches: Batches,
    requests: Sequence[Request],
    held: Sequence[Request],
    ask_directly: Callable[[Sequence[Request]], Awaitable[SendResult]],
    budget: Budget,
    progress: Progress,
) -> SendResult:
    """Send the requests in batches, and wait for these batches and for those that hold `held`.

    Requests that write a prefix for others are sent directly before the batch, and so are those that cost less that
    way. Raises UserError if the server takes no batches, and NotRecorded.
    """
    filling = _Filling(batches, budget, progress)
    read = {request.shared.after for request in requests}
    direct = {request.key for request in requests if request.shared.direct or request.key in read}
    if direct:
        filling.asked.add(await ask_directly([request for request in requests if request.key in direct]))
    for request in held:
        filling.waiting_for[request.place] = request
    await filling.create([request for request in requests if request.key not in direct])
    await filling.wait()
    return filling.asked


class _Filling:
    """The requests that one run sends in batches, and their results."""

    def __init__(self, batches: Batches, budget: Budget, progress: Progress) -> None:
        self.asked = SendResult()
        self.waiting_for: dict[Place, Request] = {}
        self._batches, self._budget, self._progress = batches, budget, progress
        self._times: Counter[Place] = Counter()
        self._most: dict[Place, float] = {}
        self._service, self._ledger, self._clock = batches.service, batches.ledger, batches.clock

    async def create(self, requests: Sequence[Request]) -> None:
        """Create batches of the requests; stop at a refusal that holds for all of them."""
        given = {request.place: request for request in requests}  # a prompt is built again when its answer is there
        for part in self._parts(requests) if self.asked.stopped is None else ():
            if failure := await self._create(part):
                for request in part:
                    self._fail(request, failure)
                if failure.fatal:
                    self.asked.stopped = failure
                    break
                continue
            self.waiting_for |= {request.place: given[request.place] for request in part}
            self._times.update(request.place for request in part)
        for request in requests:
            if request.place not in self.waiting_for and request.trial.key not in self.asked.failures:
                self._fail(request, self.asked.stopped or Failure(NOT_ASKED, "not reached"))

    def _parts(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """Yield the requests of each batch; those of one batch have the same betas, which are sent once for all."""
        for _, alike in groupby(self._within_budget(requests), lambda request: request.place.headers):
            yield from split_by_limits((request, size_of("x" * ID_LENGTH, request.body)) for request in alike)

    def _within_budget(self, requests: Sequence[Request]) -> Iterator[Request]:
        for request in requests:
            ready, model = request.ready(), request.model
            uncached = ready if ready.shared.cuts else replace(ready, model=model.model_copy(update={"caching": None}))
            most = most_paid(uncached) * (1 - (model.prices.batch_discount if model.prices else 0.0))
            if not self._budget.take(most):
                self.asked.stopped = self._budget.exceeded()
                return
            self._most[request.place] = most
            yield ready.in_batch

    async def _create(self, part: Sequence[Request]) -> Failure | None:
        """Claim and create one batch; return the failure if it was certainly not created."""
        name = new_name(self._clock.now())
        ids = [custom_id(name, request.place) for request in part]
        claimed = tuple(InBatch(id, request.place) for id, request in zip(ids, part, strict=True))
        named = self._batches.terms.base_url
        base_url = None if named is None else without_userinfo(named)
        tape = self._batches.tape
        batch = Batch(name, self._service.url, base_url, stamp(self._clock.now()), claimed, looks=tape.looks)
        tape.begin_sending()
        self._ledger.claim(batch)
        bodies = [{"custom_id": id, "params": request.body} for id, request in zip(ids, part, strict=True)]
        status = await create_claimed(self._batches, batch, bodies, part[0].headers)
        if isinstance(status, Failure):
            self._ledger.drop(batch)
            return status
        self._batches.last[name] = status
        if status.batch.id:
            self._batches.say(
                f"Batch {status.batch.id} holds {len(part):,} requests. It continues without this run: longctx models "
                "batches list shows it."
            )
        return None

    async def wait(self) -> None:
        """Look at the batches until all answers are collected, or the waiting time is over."""
        began = self._clock.now()
        pauses = seconds_between_looks()
        wait_s = self._batches.terms.wait_s
        while True:
            await self._look()
            waited = self._clock.seconds_since(began)
            statuses = self._open()
            if not statuses or not self.waiting_for or all(_is_final(status) for status in statuses):
                break
            if wait_s is not None and waited >= wait_s:
                break
            pause = next(pauses)
            self._progress.in_flight(len(self.waiting_for))
            self._progress.waiting(waited, _awaited(statuses, pause))
            await self._clock.sleep(pause if wait_s is None else min(pause, wait_s - waited))
        self._progress.in_flight(0)
        held = self._batches.held()
        for place, request in list(self.waiting_for.items()):
            status = held.get(place)
            self._fail(request, held_in_batch(status) if status else _lost())

    def _open(self) -> list[BatchStatus]:
        """Return the statuses of the batches that hold the awaited requests."""
        held = self._batches.held()
        statuses = {held[place].batch.name: held[place] for place in self.waiting_for if place in held}
        return list(statuses.values())

    async def _look(self) -> None:
        again: list[Request] = []
        for known in self._open():
            status = await self._batches.statuses.of(known.batch)
            self._batches.last[status.batch.name] = status
            collected = await self._batches.follow(status)
            if collected is not None:
                again += self._ended(collected)
            elif status.kind == "absent":
                again += [self.waiting_for.pop(place) for place in status.batch.places if place in self.waiting_for]
        if again:
            for request in again:
                self._settle(request.place, Failure(NOT_ASKED, ""))
            await self.create(again)

    def _ended(self, collected: Collected) -> list[Request]:
        """Note the results of a batch; return the requests that are worth sending in another."""
        again = []
        for place in collected.answered:
            if request := self.waiting_for.pop(place, None):
                self._answered(place, request)
        for place, failure in collected.failures.items():
            request = self.waiting_for.pop(place, None)
            if request is None:
                continue
            if failure.cause in AGAIN and self._times[place] < TIMES and not self.asked.stopped:
                self._settle(place, failure)
                again.append(request)
            else:
                self._fail(request, failure)
                if failure.fatal and failure.cause != "canceled" and not self.asked.stopped:
                    self.asked.stopped = failure
        return again

    def _answered(self, place: Place, request: Request) -> None:
        request = request.ready()
        answer = self._batches.tape.reply(place)
        assert answer is not None, "what was answered is not on the tape"
        self.asked.note(request, answer)
        if place in self._most:
            self._budget.settle(self._most.pop(place), answer, request.model.prices)
        self._progress.ended(request, answer)

    def _fail(self, request: Request, failure: Failure) -> None:
        place = request.place
        self.waiting_for.pop(place, None)
        if failure.cause != "pending":
            self._settle(place, failure)
        self.asked.failures[request.trial.key] = failure
        self._progress.ended(request, failure)

    def _settle(self, place: Place, failure: Failure) -> None:
        if place in self._most:
            self._budget.settle(self._most.pop(place), failure, None)


def _is_final(status: BatchStatus) -> bool:
    """Return whether looking again in this run would change nothing."""
    return status.fatal or status.kind in ("unknown", "gone", "elsewhere")


def _awaited(statuses: Sequence[BatchStatus], pause: float) -> str:
    """Return what is waited for, as an object of "waiting for"."""
    states = [status.state for status in statuses if status.state is not None]
    done, requests = sum(state.done for state in states), sum(len(status.batch.requests) for status in statuses)
    which = f"batch {statuses[0].batch}" if len(statuses) == 1 else f"{len(statuses):,} batches"
    why = next((f"; {status.why}" for status in statuses if status.why), "")
    return f"{which} ({done:,} of {requests:,} requests have ended{why}), checked again in {pause:g} s"


def held_in_batch(status: BatchStatus) -> Failure:
    """Return the failure of a request that an uncollected batch holds."""
    return Failure("pending", no_answer_sentence(status), fatal=True)


def _lost() -> Failure:
    return Failure(NOT_ASKED, "no batch contains it any more; the same command sends it", fatal=True)


CREATIONS = 5
"""The most requests to create one batch."""


async def create_claimed(
    batches: Batches, batch: Batch, bodies: Sequence[dict[str, Any]], headers: Mapping[str, str]
) -> BatchStatus | Failure:
    """Create a batch that was claimed; return its status, or the failure if it was certainly not created.

    headers: see Service.create.
    """
    for attempt in range(1, CREATIONS + 1):
        try:
            state = await batches.service.create(bodies, headers)
        except ENQUIRY_ERRORS as error:
            failure = explain(error, batches.service.url, "a batch")
            if isinstance(error, anthropic.APIStatusError) and error.status_code in UNSUPPORTED:
                batches.ledger.drop(batch)
                raise batches.service.unusable(error) from None
            if not _refused(error, failure):
                status = await batches.statuses.settled(batch, batches.clock.now())
                if status.kind != "absent":
                    return status
            if not sent_again(failure.cause, attempt):
                break
            pause = retry_after_s(error.response.headers) if isinstance(error, anthropic.APIStatusError) else None
            await batches.clock.sleep(pause_s(attempt) if pause is None else pause)
        else:
            at = stamp(state.created_at or batches.clock.now())
            return BatchStatus("running", batches.ledger.created(batch, state.id, at), state)
    return failure


def _refused(error: Exception, failure: Failure) -> bool:
    """Return whether the error proves that the server has created nothing."""
    if isinstance(error, anthropic.APIStatusError):
        return error.status_code < 500 or failure.cause == "overloaded"
    return (failure.cause == "connection" and failure.fatal) or failure.cause == "bad_key"
