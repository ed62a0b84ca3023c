"""Recording the results of a batch on the tape, as the episodes that direct requests would have made."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longctx.live.batches.ledger import Batch, TapePlace, place_of, sync
from longctx.live.batches.results import read_result
from longctx.live.failure import Failure
from longctx.recording.tape import Tape


@dataclass(frozen=True, slots=True)
class Collected:
    """What was collected from a batch.

    answered: what is on the tape now. failures: why other requests have no answer. missing: the number of requests for
    which the server gave no result.
    """

    answered: frozenset[TapePlace]
    failures: dict[TapePlace, Failure]
    missing: int


def onto_tape(tape: Tape, batch: Batch, ended_at: str, results: Sequence[dict[str, Any]]) -> Collected:
    """Record the successful results that are not recorded yet; they are on disk when this returns.

    ended_at: the end of the batch in ISO 8601, UTC; servers do not tell when each request was answered, or how long it
    took. Raises NotRecorded.
    """
    by_id = {request.custom_id: request.wanted for request in batch.requests}
    answered: set[TapePlace] = set()
    failures: dict[TapePlace, Failure] = {}
    files: set[str] = set()
    for result in results:
        wanted = by_id.pop(str(result.get("custom_id")), None)
        if wanted is None:
            continue
        outcome = read_result(result.get("result"), f"batch {batch}")
        if isinstance(outcome, Failure):
            failures[place_of(wanted)] = outcome
            continue
        if not tape.recorded_since(wanted, ended_at):
            tape.record(wanted, _episode(outcome), ended_at, None, batch.id)
            files.add(wanted.file)
        answered.add(place_of(wanted))
    for file in files:
        with contextlib.suppress(OSError):  # some file systems cannot sync
            sync(tape.written_to / file)
    return Collected(frozenset(answered), failures, len(by_id))


def _episode(body: bytes) -> dict[str, Any]:
    headers = {"content-type": ["application/json"]}
    return {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": {"string": body}}
