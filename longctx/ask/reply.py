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
        _text(message), _tokens(message["usage"])
        if not isinstance(message["model"], str):
            raise TypeError("its model has no name")
        if not isinstance(message.get("stop_reason"), str | None):
            raise TypeError("its stop_reason is no text")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
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


def to_reply(
    body: bytes, *, latency_s: float, recorded_at: str, request_sha256: str, live: bool, prefill: str = ""
) -> Reply:
    """The reply in an answer's body: its text blocks joined, all others left out. Raises MalformedAnswer.

    An answer of no text block, such as of thinking or a tool call alone, is an empty reply: its stop reason says why.

    prefill: the beginning of the answer that the request ended in. It is part of the reply, also where the server
    gives back only what it added (llama.cpp's gives back both).
    """
    message = read_message(body)
    text = _text(message)
    fresh, written, cached, answered = _tokens(message["usage"])
    return Reply(
        text=text if text.startswith(prefill) else prefill + text,
        stop_reason=message.get("stop_reason"),
        model=message["model"],
        input_tokens=fresh + written + cached,
        cached_tokens=cached,
        output_tokens=answered,
        latency_s=latency_s,
        recorded_at=recorded_at,
        request_sha256=request_sha256,
        live=live,
        cache_write_tokens=written,
    )


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    if not isinstance(content, list):
        raise TypeError("its content is no list of blocks")
    return "".join(block["text"] for block in content if block["type"] == "text")


def _tokens(usage: dict[str, Any]) -> tuple[int, int, int, int]:
    """Input tokens that the cache had no part in, those written to it, those read from it, and output tokens."""
    written = int(usage.get("cache_creation_input_tokens") or 0)
    cached = int(usage.get("cache_read_input_tokens") or 0)
    return int(usage["input_tokens"]), written, cached, int(usage["output_tokens"])
