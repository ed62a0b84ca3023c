"""The status of a batch according to its server, even if the run died before it received the batch's id."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Literal

import anthropic

from longctx.live.batches import wait
from longctx.live.batches.ledger import Batch, Ledger
from longctx.live.batches.service import Service, State
from longctx.live.explaining import explain
from longctx.live.server.enquiry import ENQUIRY_ERRORS

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

    def __init__(self, service: Service, ledger: Ledger, clock: wait.Clock) -> None:
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
        if self._clock.seconds_since(created) < wait.FRESH_S:
            return BatchStatus("running", batch, why=f"{self._service.url} does not know it yet")
        return BatchStatus("unknown", batch)

    async def settled(self, batch: Batch, since: datetime.datetime) -> BatchStatus:
        """Return the status of a batch without an id; wait until its absence is certain.

        since: the latest time at which a request to create it may have been sent.
        """
        pauses = wait.polls()
        while (status := await self.of(batch)).kind in ("absent", "unreached") and not status.fatal:
            left = wait.SETTLE_S - self._clock.seconds_since(since)
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
                created = wait.stamp(state.created_at or claimed)
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


def sentence(status: BatchStatus) -> str:
    """Return a sentence on why the trials of a batch have no answer, and what to do."""
    batch, number = status.batch, len(status.batch.requests)
    forget = (
        f"longctx models batches cancel {batch.name} --forget lets its {number:,} trials be asked, and paid for, again."
    )
    match status.kind:
        case "unsure":
            return (
                f"pending in batch {batch}: the run that was to create it was stopped, and whether it was created is "
                f"not known yet ({status.why}). The same command looks again. If you know that it was not, {forget}"
            )
        case "unknown":
            return (
                f"batch {batch} is not known to {batch.server}: it was deleted there, or the key is of another "
                f"workspace. {forget}"
            )
        case "gone":
            return f"the results of batch {batch} were kept for {wait.KEPT.days} days, and are gone. {forget}"
        case "elsewhere":
            return (
                f"pending in batch {batch}, and {status.why}: longctx models batches collect fetches what it answers."
            )
    why = f" ({status.why})" if status.why else ""
    return (
        f"pending in batch {batch}{why}: once it has ended, the same command with --ctx-batch collects it, or "
        "longctx models batches collect."
    )
