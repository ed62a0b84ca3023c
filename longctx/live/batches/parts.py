"""What is missing, in parts that a server takes as one batch each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from longctx.recording.case import Question
from longctx.recording.request import call
from longctx.vocabulary.scenario import Trial

MOST_BYTES = 256_000_000
"""The most bytes of a batch's body."""
MOST_REQUESTS = 100_000
AROUND = len('{"requests":[]}')

Item = TypeVar("Item")


def parts(
    sized: Iterable[tuple[Item, int]], most_bytes: int | None = None, most_requests: int | None = None
) -> Iterator[list[Item]]:
    """The items in their order, in as few parts as the limits allow; one that is too large alone is a part of its own.

    sized: items and their bytes, taken as they are needed, so that one part is in memory at a time.
    """
    most_bytes, most_requests = most_bytes or MOST_BYTES, most_requests or MOST_REQUESTS
    part: list[Item] = []
    taken = AROUND
    for item, size in sized:
        if part and (taken + size > most_bytes or len(part) == most_requests):
            yield part
            part, taken = [], AROUND
        part.append(item)
        taken += size
    if part:
        yield part


def params(question: Question, trial: Trial) -> dict[str, Any]:
    """The body of a direct request for it, as a batch takes it: without `stream`, which no batch has."""
    arguments = call(trial, question.case.model, question.shared.cuts)
    body = arguments | (arguments.pop("extra_body") or {})
    return {name: value for name, value in body.items() if name != "stream"}


def size_of(custom_id: str, body: dict[str, Any]) -> int:
    """Bytes that a request takes in the body of its batch, with the comma after it."""
    request = {"custom_id": custom_id, "params": body}
    return len(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")) + 1
