"""The digest of the recorded answers behind each group of rows: runs with equal digests replayed the same answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from longctx.results.row import Row
from longctx.results.row_group import by_group, group_key


def digest_of_answers(rows: Sequence[Row]) -> str | None:
    """Return the digest of the answers to the trials of one group; None if any trial has no answer."""
    if any(row.prompt_sha256 is None for row in rows):
        return None
    recorded = ([row.trial, row.prompt_sha256, row.recorded_at, row.latency_s] for row in rows)
    # The latency may be None: batches measure none.
    answers = sorted(recorded, key=lambda answer: (*answer[:-1], answer[-1] is not None, answer[-1] or 0.0))
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:16]


def with_answers(rows: Sequence[Row]) -> list[Row]:
    """Return the same rows, each with the digest of its group's answers."""
    digests = {key: digest_of_answers(group) for key, group in by_group(rows).items()}
    return [replace(row, answers=digests[group_key(row)]) for row in rows]
