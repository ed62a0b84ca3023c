"""The reading of bodies of answers, whatever the API: JSON, with care."""

from __future__ import annotations

import json
import reprlib
from typing import Any

MOST_TOKENS = 10**12
"""A count from which on a server's usage is not believed."""


class MalformedAnswer(Exception):
    """The server answered 200 with something that is not a message."""


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
        raise ValueError("its JSON holds a number of thousands of digits") from None
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
