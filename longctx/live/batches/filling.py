"""Asking in batches: create those that are needed, wait, and collect. Each step is on disk before the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import anthropic

from longctx.cases.case import Trial
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
    TapePlace,
    custom_id,
    new_name,
    place_in,
    place_of,
    size_of,
    split_by_limits,
)
from longctx.live.batches.service import UNSUPPORTED
from longctx.live.cost.money import Budget
from longctx.live.failure import Asked, Failure
from longctx.live.limiter import pause_s, retry_after_s, sent_again
from longctx.live.progress import Progress
from longctx.live.request import Request, most_paid
from longctx.live.server.calls import ENQUIRY_ERRORS
from longctx.live.server.credentials import without_userinfo
from longctx.live.server.explaining import explain


async def ask_in_batches(
    batches: Batches,
    trials: Sequence[Trial],
    held: Sequence[Trial],
    ask_directly: Callable[[Sequence[Trial]], Awaitable[Asked]],
    budget: Budget,
    progress: Progress,
) -> Asked:
    """Ask the questions in batches, and wait for these batches and for those that hold `held`.

    Questions that write a prefix which others read are asked directly before, and those for which that is cheaper.
    Raises UserError if the server takes no batches, and NotRecorded.
    """
    filling = _Filling(batches, budget, progress)
    read = {trial.shared.after for trial in trials}
    direct = {trial.key for trial in trials if trial.shared.direct or trial.key in read}
    if direct:
        filling.asked.add(await ask_directly([trial for trial in trials if trial.key in direct]))
    for trial in held:
        filling.waiting_for[place_in(trial)] = trial
    await filling.create([trial for trial in trials if trial.key not in direct])
    await filling.wait()
    return filling.asked


class _Filling:
    """The questions that one run asks in batches, and their results."""

    def __init__(self, batches: Batches, budget: Budget, progress: Progress) -> None:
        self.asked = Asked()
        self.waiting_for: dict[TapePlace, Trial] = {}
        self._batches, self._budget, self._progress = batches, budget, progress
        self._times: Counter[TapePlace] = Counter()
        self._most: dict[TapePlace, float] = {}
        self._service, self._ledger, self._clock = batches.service, batches.ledger, batches.clock

    async def create(self, trials: Sequence[Trial]) -> None:
        """Create batches of the questions; stop at a refusal that holds for all of them."""
        for part in self._parts(trials) if self.asked.stopped is None else ():
            if failure := await self._create(part):
                for request in part:
                    self._fail(request.trial, failure)
                if failure.fatal:
                    self.asked.stopped = failure
                    break
        for trial in trials:
            if place_in(trial) not in self.waiting_for and trial.key not in self.asked.failures:
                self._fail(trial, self.asked.stopped or Failure("not_asked", "not reached"))

    def _parts(self, trials: Sequence[Trial]) -> Iterator[list[Request]]:
        """Yield the questions of each batch; those of one batch have the same betas, which are sent once for all."""
        for _, alike in groupby(self._within_budget(trials), lambda request: request.wanted.headers):
            yield from split_by_limits((request, size_of("x" * ID_LENGTH, request.body)) for request in alike)

    def _within_budget(self, trials: Sequence[Trial]) -> Iterator[Request]:
        for trial in trials:
            case = trial.case
            prices = case.model.prices
            model = case.model if trial.shared.cuts else case.model.model_copy(update={"caching": None})
            most = most_paid(trial, model) * (1 - (prices.batch_discount if prices else 0.0))
            if not self._budget.take(most):
                self.asked.stopped = self._budget.exceeded()
                return
            self._most[place_in(trial)] = most
            yield Request.of(trial).in_batch

    async def _create(self, part: Sequence[Request]) -> Failure | None:
        """Claim and create one batch; return the failure if it was certainly not created."""
        name = new_name(self._clock.now())
        ids = [custom_id(name, place_of(request.wanted)) for request in part]
        claimed = tuple(InBatch(id, request.wanted) for id, request in zip(ids, part, strict=True))
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
        for request in part:
            place = place_of(request.wanted)
            self.waiting_for[place] = request.trial
            self._times[place] += 1
        if status.batch.id:
            self._batches.say(
                f"Batch {status.batch.id} holds {len(part):,} requests. It goes on without this run: "
                "longctx models batches list shows it."
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
        for place, trial in list(self.waiting_for.items()):
            status = held.get(place)
            self._fail(trial, held_in_batch(status) if status else _lost())

    def _open(self) -> list[BatchStatus]:
        """Return the statuses of the batches that hold the awaited questions."""
        held = self._batches.held()
        statuses = {held[place].batch.name: held[place] for place in self.waiting_for if place in held}
        return list(statuses.values())

    async def _look(self) -> None:
        again: list[Trial] = []
        for known in self._open():
            status = await self._batches.statuses.of(known.batch)
            self._batches.last[status.batch.name] = status
            collected = await self._batches.follow(status)
            if collected is not None:
                again += self._ended(collected)
            elif status.kind == "absent":
                again += [self.waiting_for.pop(place) for place in status.batch.places if place in self.waiting_for]
        if again:
            for trial in again:
                self._settle(place_in(trial), Failure("not_asked", ""))
            await self.create(again)

    def _ended(self, collected: Collected) -> list[Trial]:
        """Note the results of a batch; return the questions that are worth asking in another."""
        again = []
        for place in collected.answered:
            if trial := self.waiting_for.pop(place, None):
                self._answered(place, trial)
        for place, failure in collected.failures.items():
            trial = self.waiting_for.pop(place, None)
            if trial is None:
                continue
            if failure.cause in AGAIN and self._times[place] < TIMES and not self.asked.stopped:
                self._settle(place, failure)
                again.append(trial)
            else:
                self._fail(trial, failure)
                if failure.fatal and failure.cause != "canceled" and not self.asked.stopped:
                    self.asked.stopped = failure
        return again

    def _answered(self, place: TapePlace, trial: Trial) -> None:
        request = Request.of(trial)
        reply = self._batches.tape.reply(request.wanted)
        assert reply is not None, "an answered question is not on the tape"
        self.asked.note(trial, reply)
        if place in self._most:
            self._budget.settle(self._most.pop(place), reply, trial.case.model.prices)
        self._progress.ended(trial, request.built, reply)

    def _fail(self, trial: Trial, failure: Failure) -> None:
        place = place_in(trial)
        self.waiting_for.pop(place, None)
        if failure.cause != "pending":
            self._settle(place, failure)
        self.asked.failures[trial.key] = failure
        self._progress.ended(trial, trial.build(), failure)

    def _settle(self, place: TapePlace, failure: Failure) -> None:
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
    return f"{which} ({done:,} of {requests:,} requests have ended{why}), looked at again in {pause:g} s"


def held_in_batch(status: BatchStatus) -> Failure:
    """Return the failure of a question that an uncollected batch holds."""
    return Failure("pending", no_answer_sentence(status), fatal=True)


def _lost() -> Failure:
    return Failure("not_asked", "no batch holds it any more; the same command asks it", fatal=True)


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
