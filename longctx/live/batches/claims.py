"""The batches of a folder of cassettes, as seen by the run that may write there: what they hold, and which ended."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import anthropic

from longctx.live.batches.collect import (
    KEPT,
    REAL,
    BatchStatus,
    Clock,
    Collected,
    Collecting,
    Statuses,
    seconds_between_looks,
    stamp,
)
from longctx.live.batches.ledger import Batch, Ledger, TapePlace
from longctx.live.batches.service import Service, State
from longctx.live.explaining import explain
from longctx.live.server.enquiry import ENQUIRY_ERRORS
from longctx.live.watch import Say
from longctx.recording.tape import Tape

DOWNLOADS = 5
"""How often the results of a batch are downloaded, until they hold one for each request. What then still has none is
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
        self.collected: set[TapePlace] = set()

    async def collect(self, batches: Sequence[Batch] | None = None) -> None:
        """Collect the batches that have ended, by default among all; drop the claims of those never created."""
        for batch in self.ledger.open() if batches is None else batches:
            status = await (self.statuses.of(batch) if batch.id else self.statuses.settled(batch, self._since))
            self.last[batch.name] = status
            result = await self.follow(status)
            if result is not None and result.finished:
                self.say(collected(status.batch, result))

    def held(self) -> dict[TapePlace, BatchStatus]:
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
                f"batch {batch} has ended, and {DOWNLOADS} downloads of its results hold none for this request, which "
                "is asked again."
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
