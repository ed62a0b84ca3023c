"""Recording the results of a batch on the tape, as the episodes that direct requests would have made."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from longctx.live.batches.ledger import Batch, TapePlace, place_of, sync
from longctx.live.batches.results import NO_RESULT, read_result
from longctx.live.failure import Failure
from longctx.recording.tape import Tape


@dataclass(frozen=True, slots=True)
class Collected:
    """What was collected from a batch."""

    answered: frozenset[TapePlace]
    """What is on the tape now."""
    failures: dict[TapePlace, Failure]
    """Why other requests have no answer."""
    finished: bool = True
    """Whether there is nothing more to collect."""


class Collecting:
    """The results of a batch, from as many downloads as it takes. An answer is on the tape as soon as it arrives.

    ended_at: the end of the batch in ISO 8601, UTC; servers do not tell when each request was answered, or how long it
    took.
    """

    def __init__(self, tape: Tape, batch: Batch, ended_at: str) -> None:
        self._tape, self._batch, self._ended_at = tape, batch, ended_at
        self.missing = {request.custom_id: request.wanted for request in batch.requests}
        """The requests without a result, by their custom ids."""
        self._answered: set[TapePlace] = set()
        self._failures: dict[TapePlace, Failure] = {}
        self._unsynced: set[str] = set()

    def note(self, result: dict[str, Any]) -> None:
        """Note a result; record its answer unless it is recorded already. Raises NotRecorded."""
        wanted = self.missing.pop(str(result.get("custom_id")), None)
        if wanted is None:
            return
        outcome = read_result(result.get("result"), f"batch {self._batch}")
        if isinstance(outcome, Failure):
            self._failures[place_of(wanted)] = outcome
            return
        if not self._tape.recorded_since(wanted, self._ended_at):
            self._tape.record(wanted, _episode(outcome), self._ended_at, None, self._batch.id, self._batch.looks)
            self._unsynced.add(wanted.file)
        self._answered.add(place_of(wanted))

    def answered(self) -> frozenset[TapePlace]:
        """Return what is on the tape, and on disk when this returns."""
        for file in self._unsynced:
            with contextlib.suppress(OSError):  # some file systems cannot sync
                sync(self._tape.path_of(file))
        self._unsynced.clear()
        return frozenset(self._answered)

    def finished(self, why: str) -> Collected:
        """Return all that was collected. why: a sentence for each request that has no result."""
        lost = {place_of(wanted): Failure(NO_RESULT, why) for wanted in self.missing.values()}
        return Collected(self.answered(), self._failures | lost)


def _episode(body: bytes) -> dict[str, Any]:
    headers = {"content-type": ["application/json"]}
    return {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": {"string": body}}
