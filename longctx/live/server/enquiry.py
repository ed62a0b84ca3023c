"""What a server is asked besides questions, such as to count tokens: it has a time of its own, and its answers are read
strictly."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, Protocol

import anthropic

from longctx.recording.reply import MOST_TOKENS, MalformedAnswer, read_object

PATIENCE_S = 30.0
"""Within which such an answer must come, with all that the SDK sends again."""
BEGINNING = 80
"""Bytes of an answer that cannot be used, to be shown."""


class NoAnswer(TimeoutError):
    """None came in time; the text says within what."""


UNTOLD = (anthropic.AnthropicError, MalformedAnswer, NoAnswer)
"""What these calls raise where a server does not tell what it is asked."""


class Raw(Protocol):
    """An answer of the SDK's `with_raw_response`."""

    async def read(self) -> bytes: ...


async def body_of(call: Awaitable[Raw], within_s: float | None = None) -> bytes:
    """The answer's body. Raises AnthropicError, or NoAnswer. within_s: by default PATIENCE_S."""
    seconds = within_s or PATIENCE_S
    try:
        async with asyncio.timeout(seconds):
            return await (await call).read()
    except TimeoutError:
        raise NoAnswer(f"within {seconds:g} seconds") from None


def read_count(body: bytes) -> int:
    """The tokens in an answer of count_tokens. Raises MalformedAnswer."""
    said = _read(body, "count of tokens").get("input_tokens")
    tokens = positive(said)
    if tokens is None:
        raise _malformed("count of tokens", f"its input_tokens are {repr(said)[:20]}", body)
    return tokens


def read_model(body: bytes) -> dict[str, Any]:
    """The description in an answer of models.retrieve, whatever it holds. Raises MalformedAnswer."""
    return _read(body, "description of a model")


def positive(value: object) -> int | None:
    """A number of tokens; None for what is none, as True is not."""
    return value if type(value) is int and 0 < value < MOST_TOKENS else None


def table(value: object) -> dict[str, Any]:
    """Empty for what is no JSON object."""
    return value if isinstance(value, dict) else {}


def _read(body: bytes, what: str) -> dict[str, Any]:
    try:
        return read_object(body)
    except ValueError as error:
        raise _malformed(what, error, body) from None


def _malformed(what: str, why: object, body: bytes) -> MalformedAnswer:
    return MalformedAnswer(f"the server's answer is no {what} ({why}); it begins with {body[:BEGINNING]!r}")
