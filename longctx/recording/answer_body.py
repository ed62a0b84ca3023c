"""Reading the bodies of responses, for all APIs: as JSON, with limits."""

from __future__ import annotations

import json
import reprlib
from typing import Any

MOST_TOKENS = 10**12
"""A count from which on a server's usage is not believed."""


MOST_DEPTH = 100
"""The most levels of JSON in an answer."""
MOST_SAID = 300
"""The most characters that are quoted of what a server says of its failure."""


class MalformedAnswer(Exception):
    """The server answered 200 with something that is not a message."""


class ServerFailed(MalformedAnswer):
    """The server answered 200, but its answer reports a failure."""


def server_failed(ended: str, told: object) -> ServerFailed:
    """Return the error of an answer by which the server failed.

    ended: the status that the answer ended with. told: the server's message, or an object that has it.
    """
    said = told.get("message") if isinstance(told, dict) else told
    words = f": {' '.join(str(said).split())[:MOST_SAID]}" if said else ""
    return ServerFailed(f"the server's answer ended with {ended[:MOST_SAID]!r}{words}")


def is_too_deep(value: object) -> bool:
    """Return whether JSON is nested so deeply that what a test makes of it may exhaust Python's stack."""
    level = [value]
    for _ in range(MOST_DEPTH):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [each for values in inner for each in values]
    return bool(level)


def read_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a body. Raises ValueError."""
    if not body.strip():
        raise ValueError("it is empty")
    try:
        document = json.loads(body.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"it is not JSON: {error}") from None
    except ValueError:  # Python limits the digits of a number
        raise ValueError("its JSON contains a number of thousands of digits") from None
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")
    return document


def not_read(body: bytes, kind: str, error: Exception) -> MalformedAnswer:
    """Return the error of a body that is not what it should be. kind: with its article, such as `a chat completion`."""
    reason = f"it has no {error}" if isinstance(error, KeyError) else error
    return MalformedAnswer(f"the server's answer is not {kind} ({reason}); it begins with {body[:80]!r}")


def count(value: object) -> int:
    """Return a server's count of something. Raises ValueError if it is no whole number, or is not to be believed."""
    if not (type(value) is int or (type(value) is float and value.is_integer())) or not 0 <= value < MOST_TOKENS:
        raise ValueError(f"{reprlib.repr(value)[:20]} is not a count")
    return int(value)
