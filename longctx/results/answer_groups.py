"""Groups of rows, which a baseline keeps as one line each, and the digest of the recorded answers behind a group.

Runs with equal digests replayed the same answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from longctx.results.grouping import grouped
from longctx.results.row import Row

GROUP_FIELDS = (
    *("test", "version", "model", "prompt_set", "prompt_digest", "labels", "shape", "server"),
    *("cell", "params", "band", "seed", "repeat"),
)
"""The fields that all rows of a group share: they belong to one cell and repeat of one subject."""


def group_key(row: Row) -> str:
    """Return the fields of GROUP_FIELDS as JSON, which identify a row's group."""
    return json.dumps({name: getattr(row, name) for name in GROUP_FIELDS})


def by_group(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the groups of rows by their keys, in the order of the rows."""
    return grouped(rows, group_key)


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
