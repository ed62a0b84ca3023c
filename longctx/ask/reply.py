"""A Reply from the body of a Messages API answer. The same function serves live and replayed answers."""

from __future__ import annotations

import json
from typing import Any

from longctx.scenarios.base import Reply


class MalformedAnswer(Exception):
    """The server answered 200 with something that is no message."""


def read_message(body: bytes) -> dict[str, Any]:
    """The message in an answer's body. Raises MalformedAnswer."""
    try:
        message = json.loads(body)
        usage, content = message["usage"], message["content"]
        int(usage["input_tokens"]), int(usage["output_tokens"]), str(message["model"])
        [block["type"] for block in content]
    except (ValueError, KeyError, TypeError) as error:
        raise MalformedAnswer(
            f"the server's answer is no Messages API message ({type(error).__name__}: {error}); "
            f"it begins with {body[:80]!r}"
        ) from None
    assert isinstance(message, dict)
    return message


def is_message(body: bytes) -> bool:
    try:
        read_message(body)
    except MalformedAnswer:
        return False
    return True


def to_reply(body: bytes, *, latency_s: float, recorded_at: str, request_sha256: str, live: bool) -> Reply:
    """The reply in an answer's body: its text blocks joined, thinking left out. Raises MalformedAnswer."""
    message = read_message(body)
    usage = message["usage"]
    cached = int(usage.get("cache_read_input_tokens") or 0)
    written = int(usage.get("cache_creation_input_tokens") or 0)
    return Reply(
        text="".join(block["text"] for block in message["content"] if block["type"] == "text"),
        stop_reason=message.get("stop_reason"),
        model=message["model"],
        input_tokens=int(usage["input_tokens"]) + cached + written,
        cached_tokens=cached,
        output_tokens=int(usage["output_tokens"]),
        latency_s=latency_s,
        recorded_at=recorded_at,
        request_sha256=request_sha256,
        live=live,
    )
