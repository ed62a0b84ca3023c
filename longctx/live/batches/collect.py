"""The batches of a run as it sees them: their statuses, and their answers, which are collected onto the tape."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import anthropic

from longctx import clocks
from longctx.live.batches.ledger import Batch, Ledger, flush_to_disk
from longctx.live.batches.service import Service, State
from longctx.live.failure import Failure
from longctx.live.server.calls import ENQUIRY_ERRORS
from longctx.live.server.explaining import by_status, explain, server_sentence
from longctx.live.watch import Say
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis import check_answer
from longctx.recording.apis.messages import PATH
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from longctx.text import visible


@dataclass(frozen=True, slots=True)
class Collected:
    """What was collected from a batch."""

    answered: frozenset[Place]
    """What is on the tape now."""
    failures: dict[Place, Failure]
    """Why other requests have no answer."""
    finished: bool = True
    """Whether all is collected."""


class Collecting:
    """The results of a batch, from as many downloads as it takes. An answer is on the tape as soon as it arrives.

    ended_at: the end of the batch in ISO 8601, UTC; servers do not tell when each request was answered, or how long it
    took.
    """

    def __init__(self, tape: Tape, batch: Batch, ended_at: str) -> None:
        self._tape, self._batch, self._ended_at = tape, batch, ended_at
        self.missing = {request.custom_id: request.place for request in batch.requests}
        """The requests without a result, by their custom ids."""
        self._answered: set[Place] = set()
        self._failures: dict[Place, Failure] = {}
        self._unsynced: set[str] = set()

    def note(self, result: dict[str, Any]) -> None:
        """Note a result; record its answer unless it is recorded already. Raises NotRecorded."""
        place = self.missing.pop(str(result.get("custom_id")), None)
        if place is None:
            return
        outcome = read_result(result.get("result"), f"batch {self._batch}")
        if isinstance(outcome, Failure):
            self._failures[place] = outcome
            return
        if not self._tape.recorded_since(place, self._ended_at):
            self._tape.record(place, _episode(outcome), self._ended_at, None, self._batch.id, self._batch.looks)
            self._unsynced.add(place.file)
        self._answered.add(place)

    def answered(self) -> frozenset[Place]:
        """Return what is on the tape, and on disk when this returns."""
        for file in self._unsynced:
            with contextlib.suppress(OSError):  # some file systems cannot sync
                flush_to_disk(self._tape.path_of(file))
        self._unsynced.clear()
        return frozenset(self._answered)

    def finished(self, why: str) -> Collected:
        """Return all that was collected. why: a sentence for each request that has no result."""
        lost = {place: Failure(NO_RESULT, why) for place in self.missing.values()}
        return Collected(self.answered(), self._failures | lost)


def _episode(body: bytes) -> dict[str, Any]:
    headers = {"content-type": ["application/json"]}
    return {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": {"string": body}}


SKEW = datetime.timedelta(hours=1)
"""The most by which the clocks of the server and of this machine are assumed to differ."""

StatusKind = Literal["ended", "running", "unsure", "absent", "unknown", "gone", "elsewhere", "unreached"]


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """The status of a batch."""

    kind: StatusKind
    """`ended` or `running`; `unsure` or `absent`: its id is not known, and it may have been created, or was not;
    `unknown` to the server; `gone`: its results were deleted; `elsewhere`: on another server; `unreached`: the server
    could not be asked."""
    batch: Batch
    state: State | None = None
    why: str = ""
    """A clause with details, if there are any."""
    fatal: bool = False
    """Looking again would tell no more."""


class Statuses:
    """The statuses of batches on one server. An id that is found out is kept in the ledger."""

    def __init__(self, service: Service, ledger: Ledger, clock: Clock) -> None:
        self._service, self._ledger, self._clock = service, ledger, clock
        self._foreign: set[str] = set()

    async def of(self, batch: Batch) -> BatchStatus:
        if batch.server != self._service.url:
            return BatchStatus("elsewhere", batch, why=f"it was created at {batch.server}")
        try:
            if not batch.id:
                return await self._searched(batch)
            state = await self._service.retrieve(batch.id)
        except ENQUIRY_ERRORS as error:
            if isinstance(error, anthropic.NotFoundError):
                return self._not_known(batch)
            failure = explain(error, self._service.url)
            return BatchStatus(
                "unreached", batch, why=failure.message, fatal=failure.fatal and failure.cause == "bad_key"
            )
        return _status(batch, state)

    def _not_known(self, batch: Batch) -> BatchStatus:
        if not batch.id:
            return BatchStatus("unsure", batch, why=f"{self._service.url} does not list its batches")
        created = datetime.datetime.fromisoformat(batch.created_at)
        if self._clock.seconds_since(created) < FRESH_S:
            return BatchStatus("running", batch, why=f"{self._service.url} does not know it yet")
        return BatchStatus("unknown", batch)

    async def settled(self, batch: Batch, since: datetime.datetime) -> BatchStatus:
        """Return the status of a batch without an id; wait until its absence is certain.

        since: the latest time at which a request to create it may have been sent.
        """
        pauses = seconds_between_looks()
        while (status := await self.of(batch)).kind in ("absent", "unreached") and not status.fatal:
            left = SETTLE_S - self._clock.seconds_since(since)
            if left <= 0:
                break
            await self._clock.sleep(min(next(pauses), left))
        return status

    async def _searched(self, batch: Batch) -> BatchStatus:
        """Look for the batch without an id: it has as many requests, and its results have this batch's custom ids."""
        known = {batch.id for batch in self._ledger.open()} | self._foreign
        claimed = datetime.datetime.fromisoformat(batch.claimed_at)
        why = ""
        for state in await self._service.since(claimed - SKEW):
            if state.requests != len(batch.requests) or state.id in known:
                continue
            if not state.ended or state.gone:
                why = f"{state.id} has as many requests and {'no results any more' if state.gone else 'has not ended'}"
                continue
            listed = await self._custom_ids(state)
            if any(request.custom_id in listed for request in batch.requests):
                created = stamp(state.created_at or claimed)
                return _status(self._ledger.created(batch, state.id, created), state)
            self._foreign.add(state.id)
        return BatchStatus("unsure", batch, why=why) if why else BatchStatus("absent", batch)

    async def _custom_ids(self, state: State) -> set[str]:
        ids: set[str] = set()
        await self._service.results(state.id, state.requests, lambda result: ids.add(str(result.get("custom_id"))))
        return ids


def _status(batch: Batch, state: State) -> BatchStatus:
    if state.gone:
        return BatchStatus("gone", batch, state)
    return BatchStatus("ended" if state.ended else "running", batch, state)


def no_answer_sentence(status: BatchStatus) -> str:
    """Return a sentence on why the trials of a batch have no answer, and what to do."""
    batch, number = status.batch, len(status.batch.requests)
    forget = (
        f"longctx models batches cancel {batch.name} --forget lets its {number:,} trials be sent, and paid for, again."
    )
    match status.kind:
        case "unsure":
            return (
                f"pending in batch {batch}: the run stopped while creating it, and it is not known yet whether it "
                f"exists ({status.why}). The same command looks again. If you know that it was not, {forget}"
            )
        case "unknown":
            return (
                f"batch {batch} is not known to {batch.server}: it was deleted there, or the key is of another "
                f"workspace. {forget}"
            )
        case "gone":
            return f"the results of batch {batch} were kept for {KEPT.days} days, and are gone. {forget}"
        case "elsewhere":
            return f"pending in batch {batch}, and {status.why}: longctx models batches collect fetches its answers."
    why = f" ({status.why})" if status.why else ""
    return (
        f"pending in batch {batch}{why}: once it has ended, the same command with --ctx-batch collects it, or "
        "longctx models batches collect."
    )


FIRST_POLL_S = 1.0
LONGEST_POLL_S = 60.0
FRESH_S = 600.0
"""The seconds after its creation during which a server may not know a batch yet."""
SETTLE_S = 60.0
"""The seconds after a request to create a batch during which the batch may not be listed yet."""
KEPT = datetime.timedelta(days=29)
"""How long the Anthropic API keeps results after the creation of their batch."""


@dataclass(frozen=True, slots=True)
class Clock:
    now: Callable[[], datetime.datetime] = clocks.now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def seconds_since(self, moment: datetime.datetime) -> float:
        return (self.now() - moment).total_seconds()


REAL = Clock()


def seconds_between_looks() -> Iterator[float]:
    """Yield the seconds between looks at a batch, which double up to the longest."""
    pause = FIRST_POLL_S
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_POLL_S)


def stamp(moment: datetime.datetime) -> str:
    """Return a time as the tape writes it: ISO 8601 in UTC, to the second."""
    return moment.astimezone(datetime.UTC).isoformat(timespec="seconds")


STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""The status of a direct request for each type of error. Any other type counts as 500, the server's own fault."""
NO_RESULT = "no_result"
"""The cause of a request that no download of the results answers."""
AGAIN = ("rate_limit", "overloaded", "server_error", "expired", NO_RESULT)
"""The causes after which a question is sent again. None of them is billed, except perhaps the last."""
TIMES = 3
"""The most batches of one run that a question is sent in."""


def read_result(result: object, batch: str) -> bytes | Failure:
    """Return the body of the message, or the failure. batch: the batch, as messages name it."""
    fields: dict[str, Any] = result if isinstance(result, dict) else {}
    match fields.get("type"):
        case "succeeded":
            return _message(fields.get("message"))
        case "errored":
            return _errored(fields.get("error"), batch)
        case "canceled":
            return Failure("canceled", f"{batch} was canceled before its turn came.", fatal=True)
        case "expired":
            return Failure("expired", f"{batch} expired before its turn came, after 24 hours.")
    return Failure("malformed_answer", f"{batch} gave a result of no known type: {visible(_json(result))[:80]}.")


def _message(message: object) -> bytes | Failure:
    body = _json(message).encode("utf-8", "surrogatepass")
    try:
        check_answer(PATH, body)
    except MalformedAnswer as error:
        return Failure("malformed_answer", f"{error}.")
    return body


def _json(value: object) -> str:
    """Return the value as JSON; empty if it is nested too deeply to be written."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return ""


def _errored(body: object, batch: str) -> Failure:
    """Return the failure for an error. body: as the API answers, with the error itself under `error`."""
    error = body.get("error", body) if isinstance(body, dict) else body
    kind = str(error.get("type")) if isinstance(error, dict) else "error"
    return by_status(STATUS.get(kind, 500), f"{batch} had an error ({kind}): {server_sentence(body)}.")


DOWNLOADS = 5
"""How often the results of a batch are downloaded, until they contain one for each request. What then still has none is
asked again."""


@dataclass(frozen=True, slots=True)
class BatchTerms:
    """The terms of asking in batches."""

    base_url: str | None = None
    """The server as the user named it."""
    wait_s: float | None = None
    """The seconds that a run waits for its batches; None to wait until they end."""
    clock: Clock = REAL


class Batches:
    """The batches of a folder of cassettes, as one run sees them.

    last: the last known status of each batch, by its name. collected: what this run has put on the tape.
    """

    def __init__(self, service: Service, tape: Tape, terms: BatchTerms, say: Say) -> None:
        self.service, self.tape, self.terms, self.say = service, tape, terms, say
        self.clock = terms.clock
        self.ledger = Ledger(tape.written_to)
        self.statuses = Statuses(service, self.ledger, self.clock)
        self._since = self.clock.now()
        self.last: dict[str, BatchStatus] = {}
        self.collected: set[Place] = set()

    async def collect(self, batches: Sequence[Batch] | None = None) -> None:
        """Collect the batches that have ended, by default among all; drop the claims of those never created."""
        for batch in self.ledger.open() if batches is None else batches:
            status = await (self.statuses.of(batch) if batch.id else self.statuses.settled(batch, self._since))
            self.last[batch.name] = status
            result = await self.follow(status)
            if result is not None and result.finished:
                self.say(collected(status.batch, result))

    def held(self) -> dict[Place, BatchStatus]:
        """Return what uncollected batches hold, with the last known status of the batch."""
        return {
            place: self.last.get(batch.name, BatchStatus("running", batch))
            for batch in self.ledger.open()
            for place in batch.places - self.collected
        }

    async def follow(self, status: BatchStatus) -> Collected | None:
        """Act on the status of a batch; return what was collected, or None if there was nothing to collect."""
        batch, state = status.batch, status.state
        if status.kind == "absent":
            self.ledger.drop(batch)
        if status.kind != "ended" or state is None:
            return None
        collecting = Collecting(self.tape, batch, _ended_at(batch, state))
        failed: Exception | None = None
        try:
            await self._download(batch, collecting)
        except ENQUIRY_ERRORS as error:
            failed = error
        if failed is None or not collecting.missing:
            result = collecting.finished(
                f"batch {batch} has ended, and {DOWNLOADS} downloads of its results contain none for this request, "
                "which is sent again."
            )
        else:
            old = state.created_at is not None and self.clock.now() - state.created_at > KEPT
            gone = old and isinstance(failed, anthropic.NotFoundError)
            why = explain(failed, self.service.url).message
            self.last[batch.name] = BatchStatus("gone" if gone else "unreached", batch, state, why)
            result = Collected(collecting.answered(), {}, finished=False)
        self.collected |= result.answered
        if result.finished:
            self.ledger.drop(batch)
        return result

    async def _download(self, batch: Batch, collecting: Collecting) -> None:
        """Download the results until none is missing, DOWNLOADS times at most.

        Raises ENQUIRY_ERRORS and NotRecorded.
        """
        pauses = seconds_between_looks()
        for left in reversed(range(DOWNLOADS)):
            await self.service.results(batch.id, len(batch.requests), collecting.note)
            if not collecting.missing or not left:
                return
            pause = next(pauses)
            self.say(
                f"Batch {batch}: {self.service.url} gave no result for {len(collecting.missing):,} of "
                f"{len(batch.requests):,} requests. The results are downloaded again in {pause:g} s."
            )
            await self.clock.sleep(pause)


def _ended_at(batch: Batch, state: State) -> str:
    """Return the time that its answers are recorded with, which does not depend on when they are collected."""
    moment = state.ended_at or state.created_at
    return stamp(moment) if moment else stamp(datetime.datetime.fromisoformat(batch.created_at))


def collected(batch: Batch, result: Collected) -> str:
    """Return a sentence on what was collected from a batch."""
    causes = Counter(failure.cause for failure in result.failures.values())
    failed = ", ".join(f"{number:,} {cause}" for cause, number in causes.items())
    return f"Batch {batch} has ended: {len(result.answered):,} answers are recorded{f'; {failed}' if failed else ''}."
