"""The reading of a batch's results: a message, or the same failure that a direct request would have."""

from __future__ import annotations

import json
from typing import Any

from longctx.live.explaining import by_status, server_sentence
from longctx.live.failure import Failure
from longctx.recording.apis import check_answer
from longctx.recording.apis.messages import PATH
from longctx.recording.reply import MalformedAnswer
from longctx.visible import visible

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
"""The status of a direct request for each type of error. Any other type counts as 500, the server's own fault."""
NO_RESULT = "no_result"
"""The cause of a request of which no download of the results holds one."""
AGAIN = ("rate_limit", "overloaded", "server_error", "expired", NO_RESULT)
"""The causes after which a question is sent again. None of them is billed, except perhaps the last."""
TIMES = 3
"""The most batches of one run that a question is sent in."""


def read_result(result: object, batch: str) -> bytes | Failure:
    """Return the body of the message, or the failure. batch: the batch, as messages name it."""
    fields: dict[str, Any] = result if isinstance(result, dict) else {}
    match fields.get("type"):
        case "succeeded":
            return _message(fields.get("message"))
        case "errored":
            return _errored(fields.get("error"), batch)
        case "canceled":
            return Failure("canceled", f"{batch} was canceled before its turn came.", fatal=True)
        case "expired":
            return Failure("expired", f"{batch} expired before its turn came, after 24 hours.")
    return Failure("malformed_answer", f"{batch} gave a result of no known type: {visible(_json(result))[:80]}.")


def _message(message: object) -> bytes | Failure:
    body = _json(message).encode("utf-8", "surrogatepass")
    try:
        check_answer(PATH, body)
    except MalformedAnswer as error:
        return Failure("malformed_answer", f"{error}.")
    return body


def _json(value: object) -> str:
    """Return the value as JSON; empty if it is nested too deeply to be written."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return ""


def _errored(body: object, batch: str) -> Failure:
    """Return the failure for an error. body: as the API answers, with the error itself under `error`."""
    error = body.get("error", body) if isinstance(body, dict) else body
    kind = str(error.get("type")) if isinstance(error, dict) else "error"
    return by_status(STATUS.get(kind, 500), f"{batch} had an error ({kind}): {server_sentence(body)}.")
