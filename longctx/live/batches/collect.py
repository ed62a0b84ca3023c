"""The results of a batch that has ended, onto the tape: the episodes that direct requests would have made."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longctx.live.batches.ledger import Batch, Place, place_of, sync
from longctx.live.batches.results import read_result
from longctx.live.failure import Failure
from longctx.recording.tape import Tape


@dataclass(frozen=True, slots=True)
class Collected:
    """answered: what is on the tape now. failures: why others are not. missing: what has no result, though it must."""

    answered: frozenset[Place]
    failures: dict[Place, Failure]
    missing: int


def onto_tape(tape: Tape, batch: Batch, ended_at: str, results: Sequence[dict[str, Any]]) -> Collected:
    """Record what succeeded and is not recorded yet, on disk when this returns. Raises NotRecorded.

    ended_at: ISO 8601, UTC, by which all had been answered. When each was, and how long it took, no server tells.
    """
    by_id = {request.custom_id: request.wanted for request in batch.requests}
    answered: set[Place] = set()
    failures: dict[Place, Failure] = {}
    files: set[str] = set()
    for result in results:
        wanted = by_id.pop(str(result.get("custom_id")), None)
        if wanted is None:
            continue
        said = read_result(result.get("result"), f"batch {batch}")
        if isinstance(said, Failure):
            failures[place_of(wanted)] = said
            continue
        if not tape.recorded_since(wanted, ended_at):
            tape.record(wanted, _episode(said), ended_at, None, batch.id)
            files.add(wanted.file)
        answered.add(place_of(wanted))
    for file in files:
        with contextlib.suppress(OSError):  # of a file system that cannot
            sync(tape.written_to / file)
    return Collected(frozenset(answered), failures, len(by_id))


def _episode(body: bytes) -> dict[str, Any]:
    headers = {"content-type": ["application/json"]}
    return {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": {"string": body}}
