"""What someone should know who stops an asking pass: how much is kept, and what the same command would ask."""

from __future__ import annotations

from vcr.record_mode import RecordMode

from longctx.recording.tape import Tape


def sentence(tape: Tape, to_ask: int) -> str:
    """to_ask: of so many questions, 0 where that was not yet known."""
    if not to_ask:
        return "Stopped: nothing was asked."
    answered = f"Stopped: {tape.recorded:,} of {to_ask:,} trials were answered"
    if not tape.keeps:
        kept = "but nothing is kept without text, so the same command asks all again."
    elif tape.record_mode == RecordMode.ALL:
        kept = "and are recorded. The same command would ask all anew, since its record mode is all."
    else:
        kept = f"and are recorded, so the same command asks only the other {to_ask - tape.recorded:,}."
    return f"{answered} {kept} What was in flight is lost, and may be billed."
