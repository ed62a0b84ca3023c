"""A Reply from the body of a Messages API answer. The same function serves live and replayed answers."""

from __future__ import annotations

import json
from typing import Any

from longctx.vocabulary.scenario import Reply

MOST_TOKENS = 10**12
"""No answer takes as many."""


class MalformedAnswer(Exception):
    """The server answered 200 with something that is no message."""


def read_message(body: bytes) -> dict[str, Any]:
    """The message in an answer's body. Raises MalformedAnswer."""
    try:
        message = read_object(body)
        _text(message), _tokens(message["usage"])
        if not isinstance(message["model"], str):
            raise TypeError("its model has no name")
        if not isinstance(message.get("stop_reason"), str | None):
            raise TypeError("its stop_reason is no text")
    except (ValueError, KeyError, TypeError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise MalformedAnswer(
            f"the server's answer is no Messages API message ({reason}); it begins with {body[:80]!r}"
        ) from None
    return message


def is_message(body: bytes) -> bool:
    try:
        read_message(body)
    except MalformedAnswer:
        return False
    return True


def to_reply(
    body: bytes,
    *,
    latency_s: float | None,
    recorded_at: str,
    request_sha256: str,
    live: bool,
    prefill: str = "",
    batched: bool = False,
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
        input_tokens=fresh + written + (cached or 0),
        cached_tokens=cached,
        output_tokens=answered,
        latency_s=latency_s,
        recorded_at=recorded_at,
        request_sha256=request_sha256,
        live=live,
        cache_write_tokens=written,
        hour_write_tokens=min(written, _written_for_an_hour(message["usage"])),
        batched=batched,
    )


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises ValueError."""
    if not body.strip():
        raise ValueError("it is empty")
    try:
        document = json.loads(body.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"it is no JSON: {error}") from None
    except ValueError:  # of Python's limit on the digits of a number
        raise ValueError("its JSON holds a number of thousands of digits") from None
    if not isinstance(document, dict):
        raise ValueError("it is no JSON object")
    return document


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    if not (isinstance(content, list) and all(isinstance(block, dict) for block in content)):
        raise TypeError("its content is no list of blocks")
    texts = [block["text"] for block in content if block["type"] == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a text block of it holds no text")
    return "".join(texts)


def _tokens(usage: object) -> tuple[int, int, int | None, int]:
    """Input tokens that the cache had no part in, those written to it, those read from it, and output tokens."""
    if not isinstance(usage, dict):
        raise TypeError("its usage is no table of counts")
    written = _count(usage.get("cache_creation_input_tokens") or 0)
    read = usage.get("cache_read_input_tokens")
    cached = None if read is None else _count(read)
    return _count(usage["input_tokens"]), written, cached, _count(usage["output_tokens"])


def _written_for_an_hour(usage: dict[str, Any]) -> int:
    """Input tokens written to the cache that stay for an hour; 0 where the server does not tell them apart."""
    written = usage.get("cache_creation")
    tokens = written.get("ephemeral_1h_input_tokens") if isinstance(written, dict) else None
    return tokens if type(tokens) is int and tokens > 0 else 0


def _count(said: Any) -> int:
    try:
        tokens = int(said)
    except (ValueError, TypeError, OverflowError):
        tokens = -1
    if not 0 <= tokens < MOST_TOKENS:
        raise ValueError(f"its usage counts {repr(said)[:20]} tokens")
    return tokens
