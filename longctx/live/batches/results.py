"""What one result of a batch means: a message, or a typed cause, as a direct request would have it."""

from __future__ import annotations

import json
from typing import Any

from longctx.live.failure import Failure, by_status, server_sentence
from longctx.recording.reply import MalformedAnswer, read_message

STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""Type of an error -> the status of a direct request that fails by it. Any other is the server's own fault: 500."""
AGAIN = ("rate_limit", "overloaded", "server_error", "expired")
"""Causes of failure that a second request may not meet. None of them is billed."""
TIMES = 3
"""So often a question is sent in batches of one run, at most."""


def read_result(result: object, batch: str) -> bytes | Failure:
    """The message's body, or why there is none. batch: which one, in words."""
    said: dict[str, Any] = result if isinstance(result, dict) else {}
    match said.get("type"):
        case "succeeded":
            return _message(said.get("message"))
        case "errored":
            return _errored(said.get("error"), batch)
        case "canceled":
            return Failure("canceled", f"{batch} was canceled before its turn came.", fatal=True)
        case "expired":
            return Failure("expired", f"{batch} expired before its turn came, after 24 hours.")
    return Failure("malformed_answer", f"{batch} gave a result of no known type: {json.dumps(result)[:80]}.")


def _message(message: object) -> bytes | Failure:
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    try:
        read_message(body)
    except MalformedAnswer as error:
        return Failure("malformed_answer", f"{error}.")
    return body


def _errored(said: object, batch: str) -> Failure:
    """said: an error as the API answers it, which has the error itself within."""
    error = said.get("error", said) if isinstance(said, dict) else said
    kind = str(error.get("type")) if isinstance(error, dict) else "error"
    return by_status(STATUS.get(kind, 500), f"{batch} had an error ({kind}): {server_sentence(said)}.")
