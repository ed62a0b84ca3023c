"""The meaning of each result of a batch."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longctx.live.batches.collect import AGAIN, read_result
from longctx.live.cost.money import MAYBE_PAID
from longctx.live.failure import Failure
from tests.servers import message


def failure(result: object) -> Failure:
    read = read_result(result, "batch b")
    assert isinstance(read, Failure)
    return read


def test_a_message_is_kept_as_the_server_gave_it() -> None:
    given = json.loads(message("ü", extra={"new": [1]}))
    body = read_result({"type": "succeeded", "message": given}, "batch b")
    assert isinstance(body, bytes)
    assert json.loads(body) == given


@pytest.mark.parametrize(
    ("kind", "sentence", "cause", "fatal", "again"),
    [
        ("invalid_request_error", "prefill is not supported", "refused_request", False, False),
        ("invalid_request_error", "prompt is too long: 9 tokens", "context_too_long", False, False),
        ("request_too_large", "", "context_too_long", False, False),
        ("not_found_error", "model: toy", "no_such_model", True, False),
        ("permission_error", "", "bad_key", True, False),
        ("rate_limit_error", "", "rate_limit", False, True),
        ("overloaded_error", "", "overloaded", False, True),
        ("api_error", "", "server_error", False, True),
        ("timeout_error", "", "server_error", False, True),
        ("never_heard_of", "", "server_error", False, True),
    ],
)
def test_errors_are_typed_as_direct_ones_are(kind: str, sentence: str, cause: str, fatal: bool, again: bool) -> None:
    error = {"type": "error", "error": {"type": kind, "message": sentence}}
    failed = failure({"type": "errored", "error": error})
    assert (failed.cause, failed.fatal, failed.cause in AGAIN) == (cause, fatal, again)
    assert f"batch b had an error ({kind}): {sentence or 'no reason given'}." in failed.message
    assert failed.cause not in MAYBE_PAID, "an error is not billed"


def test_what_was_not_begun() -> None:
    assert failure({"type": "canceled"}) == Failure("canceled", "batch b was canceled before its turn came.", True)
    assert failure({"type": "expired"}).cause in AGAIN


@pytest.mark.parametrize(
    "result",
    [None, 3, {}, {"type": "odd"}, {"type": "succeeded"}, {"type": "succeeded", "message": {"content": []}}],
)
def test_nonsense_is_malformed(result: Any) -> None:
    assert failure(result).cause == "malformed_answer"


@pytest.mark.parametrize("error", [None, "odd", {}, {"error": "odd"}, {"error": {"type": 3}}])
def test_an_error_of_any_shape_is_one(error: Any) -> None:
    assert failure({"type": "errored", "error": error}).cause == "server_error"
