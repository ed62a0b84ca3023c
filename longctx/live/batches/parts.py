"""The division of requests into parts that a server takes as one batch each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

MOST_BYTES = 256_000_000
"""The most bytes in the body of a batch."""
MOST_REQUESTS = 100_000
AROUND = len('{"requests":[]}')

Item = TypeVar("Item")


def parts(
    sized: Iterable[tuple[Item, int]], most_bytes: int | None = None, most_requests: int | None = None
) -> Iterator[list[Item]]:
    """Yield the items in their order, in as few parts as the limits allow; an item above the limit is a part by itself.

    sized: items with their bytes. They are taken one by one, so that only one part is in memory at a time.
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


def size_of(custom_id: str, body: Mapping[str, Any]) -> int:
    """Return the bytes of a request in the body of its batch, with the comma after it."""
    request = {"custom_id": custom_id, "params": body}
    return len(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")) + 1
