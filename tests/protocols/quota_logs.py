"""What trials of latest values are judged by."""

from __future__ import annotations

from typing import Any

from longctx.protocols.latest_value import LogAnswers, QuotaLog, entry_count


def answers_of(cell: Any, index: int = 0) -> LogAnswers:
    """Return the answers that a trial of seed 0 is judged by."""
    log = QuotaLog.drawn(cell.stream(0, index), entry_count(cell), cell.updates)
    return log.answers(cell.question)
