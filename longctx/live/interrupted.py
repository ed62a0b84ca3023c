"""The sentence for a user who stops an asking pass: how much is kept, and what the same command would ask."""

from __future__ import annotations

from vcr.record_mode import RecordMode

from longctx.errors import UserError
from longctx.live.batches.ledger import Ledger
from longctx.recording.tape import Tape


def sentence(tape: Tape, to_ask: int) -> str:
    """Return the sentence. to_ask: the number of questions to ask; 0 if it was not known yet."""
    running = _running(tape)
    if not to_ask:
        return f"Stopped: nothing was asked.{running}"
    answered = f"Stopped: {tape.recorded:,} of {to_ask:,} trials were answered"
    if not tape.keeps:
        consequence = "but nothing is kept without text, so the same command asks all again."
    elif tape.record_mode == RecordMode.ALL:
        consequence = "and are recorded. The same command would ask all anew, since its record mode is all."
    else:
        consequence = f"and are recorded, so the same command asks only the other {to_ask - tape.recorded:,}."
    return f"{answered} {consequence}{running or ' What was in flight is lost, and may be billed.'}"


def _running(tape: Tape) -> str:
    """Return a sentence on the batches that go on without this run; empty if there are none."""
    try:
        batches = Ledger(tape.written_to).open()
    except UserError:
        return ""
    if not batches:
        return ""
    requests = sum(len(batch.requests) for batch in batches)
    if not all(batch.id for batch in batches):
        return (
            f" {requests:,} requests are in batches, of which one may not have been created yet: the same command "
            "finds out, collects what they answer, and asks nothing twice."
        )
    which = f"Batch {batches[0]} goes" if len(batches) == 1 else f"{len(batches):,} batches go"
    return (
        f" {which} on without this run, with {requests:,} requests: the same command collects what they answer, or "
        "python -m longctx batches collect. Nothing is asked or paid for again."
    )
