"""The calls of a server's API: requests of trials, and enquiries, such as counting tokens.

Enquiries have a time limit, and are parsed strictly.
"""

from __future__ import annotations

import asyncio
import reprlib
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import anthropic
import httpx2

from longctx.live.server.client import Client
from longctx.recording.answer_body import MOST_DEPTH, MOST_TOKENS, MalformedAnswer, is_too_deep, read_object
from longctx.recording.apis import messages
from longctx.recording.request import Request

TIMEOUT_S = 30.0
"""The seconds within which the answer to an enquiry must arrive, including the SDK's retries."""
BEGINNING = 80
"""The bytes of an unusable answer that are shown."""


Found = TypeVar("Found")


class NoAnswer(TimeoutError):
    """No answer arrived in time; the text names the time limit."""


ENQUIRY_ERRORS = (anthropic.AnthropicError, MalformedAnswer, NoAnswer, RecursionError)
"""The exceptions that a call raises if the server gives no usable answer."""


PASSING = (408, 409, 429)
"""The statuses below 500 after which the SDK asks again."""


class Raw(Protocol):
    """An answer of the SDK's `with_raw_response`."""

    async def read(self) -> bytes: ...


async def body_of(call: Awaitable[Raw | httpx2.Response], within_s: float | None = None) -> bytes:
    """Return the body of the answer. within_s: by default TIMEOUT_S. Raises AnthropicError or NoAnswer."""
    seconds = within_s or TIMEOUT_S
    try:
        async with asyncio.timeout(seconds):
            answer = await call
            return answer.content if isinstance(answer, httpx2.Response) else await answer.read()
    except TimeoutError:
        raise NoAnswer(f"within {seconds:g} seconds") from None


async def if_there(client: Client, enquire: Callable[[Client], Awaitable[Found]]) -> Found:
    """Make an enquiry, again as often as the SDK does, but once if there is no connection to the server at all.

    Raises what the enquiry raises.
    """
    try:
        return await enquire(client.with_options(max_retries=0))
    except anthropic.APIStatusError as error:
        if error.status_code < 500 and error.status_code not in PASSING:
            raise
    except anthropic.APIConnectionError as error:
        if no_connection(error):
            raise
    return await enquire(client)


def no_connection(error: Exception) -> bool:
    """Return whether there is no connection to the server, as if it were not running."""
    return isinstance(error, anthropic.APIConnectionError) and isinstance(error.__cause__, httpx2.ConnectError)


def read_count(body: bytes, field: str = "input_tokens") -> int:
    """Return the tokens in an answer of count_tokens. field: their name in the API. Raises MalformedAnswer."""
    value = _read(body, "count of tokens").get(field)
    tokens = positive(value)
    if tokens is None:
        raise malformed("count of tokens", f"its {field} are {reprlib.repr(value)[:20]}", body)
    return tokens


def read_model(body: bytes) -> dict[str, Any]:
    """Return the object in an answer of models.retrieve, whatever it holds. Raises MalformedAnswer."""
    return _read(body, "description of a model")


def positive(value: object) -> int | None:
    """Return the value if it is a number of tokens; else None, for instance for True."""
    return value if type(value) is int and 0 < value < MOST_TOKENS else None


def table(value: object) -> dict[str, Any]:
    """Return the value if it is a JSON object; else an empty one."""
    return value if isinstance(value, dict) else {}


def _read(body: bytes, what: str) -> dict[str, Any]:
    try:
        answer = read_object(body)
        if is_too_deep(answer):
            raise ValueError(f"it is nested more than {MOST_DEPTH} levels deep")
        return answer
    except ValueError as error:
        raise malformed(what, error, body) from None


def malformed(what: str, why: object, body: bytes) -> MalformedAnswer:
    """Return the error for an answer that should be, say, a count of tokens. why: an exception or a sentence."""
    why = f"it has no {why}" if isinstance(why, KeyError) else why
    return MalformedAnswer(f"the server's answer is no {what} ({why}); it begins with {body[:BEGINNING]!r}")


async def send(client: Client, request: Request, timeout_s: float) -> httpx2.Response:
    """Send a request by the API of its path, and return the answer. Raises AnthropicError."""
    arguments = request.arguments
    if request.place.path in messages.PATHS:
        raw = await client.messages.with_raw_response.create(**arguments, timeout=timeout_s)
        answer: httpx2.Response = raw.http_response
    else:
        sent: dict[str, Any] = {**arguments, "options": {**arguments["options"], "timeout": timeout_s}}
        answer = await client.post(**sent, cast_to=httpx2.Response)
    return answer


async def count_body(client: Client, request: Request) -> bytes:
    """Ask for a count of tokens, and return the body of the answer. Raises AnthropicError or NoAnswer."""
    if request.place.path in messages.PATHS:
        return await body_of(client.messages.with_raw_response.count_tokens(**request.arguments))
    answer: httpx2.Response = await client.post(**request.arguments, cast_to=httpx2.Response)
    return answer.content
