"""Which recorded answers rows rest on, as one digest for each line: two runs with the same replayed the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from longctx.results.line import by_line, line_of
from longctx.results.row import Row


def digest_of_answers(rows: Sequence[Row]) -> str | None:
    """rows: of one line. None where a trial has no answer."""
    if any(row.prompt_sha256 is None for row in rows):
        return None
    recorded = ([row.trial, row.prompt_sha256, row.recorded_at, row.latency_s] for row in rows)
    answers = sorted(
        recorded, key=lambda one: (*one[:-1], one[-1] is not None, one[-1] or 0.0)
    )  # a batch tells no latency
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:16]


def with_answers(rows: Sequence[Row]) -> list[Row]:
    """The same rows, each with the digest of its line's answers."""
    digests = {line: digest_of_answers(group) for line, group in by_line(rows).items()}
    return [replace(row, answers=digests[line_of(row)]) for row in rows]
