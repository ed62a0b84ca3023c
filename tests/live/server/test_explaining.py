"""The errors of the SDK: the cause and sentence of each, and whether asking goes on."""

from __future__ import annotations

from typing import Any

import anthropic
import httpx2
import pytest

from longctx.config.models import ModelProfile
from longctx.live.failure import Failure
from longctx.live.server.client import key_of
from longctx.live.server.explaining import explain
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.tape import NotRecorded


def meaning(error: Exception) -> Failure:
    return explain(error, "http://h.test", "lines-5")


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def status_error(status: int, body: object) -> anthropic.APIStatusError:
    response = httpx2.Response(status, request=httpx2.Request("POST", "http://h.test/v1/messages"))
    return anthropic.APIStatusError("raw", response=response, body=body)


@pytest.mark.parametrize(
    ("status", "cause", "fatal"),
    [
        (400, "refused_request", False),
        (401, "bad_key", True),
        (403, "bad_key", True),
        (404, "no_such_model", True),
        (408, "timeout", False),
        (413, "context_too_long", False),
        (429, "rate_limit", False),
        (500, "server_error", False),
        (529, "overloaded", False),
    ],
)
def test_what_a_status_means(status: int, cause: str, fatal: bool) -> None:
    failure = meaning(status_error(status, {"type": "error", "error": {"type": "x", "message": "no such thing."}}))
    assert (failure.cause, failure.fatal) == (cause, fatal)
    assert failure.message.startswith(f"http://h.test answered {status}: no such thing.")
    assert ".." not in failure.message


def test_an_error_may_be_no_json() -> None:
    assert "answered 502: <html>bad gateway</html>." in meaning(status_error(502, "<html>bad gateway</html>")).message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "two\n lines \x1b[31m\ud800"}}, "answered 500: two lines \\x1b[31m\\ud800."),
        ({"error": {"message": "x" * 100_000}}, f"answered 500: {'x' * 500}…."),
        (None, "answered 500: no reason given."),
        ({"error": {"message": None}}, "answered 500: no reason given."),
    ],
)
def test_what_a_server_says_is_one_line_that_steers_no_terminal(body: object, said: str) -> None:
    assert meaning(status_error(500, body)).message.endswith(said)


def test_other_errors() -> None:
    request = httpx2.Request("POST", "http://h.test")
    assert meaning(anthropic.APITimeoutError(request)).cause == "timeout"
    assert meaning(TimeoutError()).cause == "timeout"
    down = meaning(caused(anthropic.APIConnectionError(request=request), httpx2.ConnectError("refused")))
    assert (down.cause, down.fatal) == ("connection", True)
    assert "is the server running?" in down.message
    assert meaning(MalformedAnswer("it begins with b'<'")).message == "it begins with b'<'."
    assert meaning(RuntimeError("odd")) == Failure("error", "RuntimeError: odd")
    assert meaning(NotRecorded("no room")) == Failure("not_recorded", "no room", fatal=True)


def test_what_breaks_on_the_way_is_not_the_networks_fault() -> None:
    """The SDK reports everything that its transport raises as a failed connection."""
    broken = anthropic.APIConnectionError(request=httpx2.Request("POST", "http://h.test"))
    assert meaning(caused(broken, AssertionError("another body"))) == Failure("error", "AssertionError: another body")
    assert meaning(caused(broken, httpx2.ReadError("reset"))).cause == "connection"


def test_a_key_that_no_header_may_hold_is_not_shown() -> None:
    broken = anthropic.APIConnectionError(request=httpx2.Request("POST", "http://h.test"))
    failure = meaning(caused(broken, httpx2.LocalProtocolError("Illegal header value b'sk-secret'")))
    assert (failure.cause, failure.fatal) == ("bad_key", True)
    assert "secret" not in failure.message


def test_a_redirection_says_what_to_change() -> None:
    failure = meaning(status_error(308, ""))
    assert (failure.cause, failure.fatal) == ("connection", True)
    assert "--ctx-base-url" in failure.message


def test_a_connection_that_breaks_off_is_one_trials_matter() -> None:
    request = httpx2.Request("POST", "http://h.test")
    broken = meaning(caused(anthropic.APIConnectionError(request=request), httpx2.ReadError("reset by peer")))
    assert broken == Failure("connection", "http://h.test closed the connection (ReadError: reset by peer).")


@pytest.mark.parametrize("cause", [MalformedAnswer("too large"), httpx2.DecodingError("bad gzip")])
def test_what_the_transport_finds_wrong_is_not_the_networks_fault(cause: Exception) -> None:
    request = httpx2.Request("POST", "http://h.test")
    assert meaning(caused(anthropic.APIConnectionError(request=request), cause)).cause == "malformed_answer"


@pytest.mark.parametrize(
    ("sentence", "cause", "advice"),
    [
        ("This model does not support assistant message prefill.", "refused_request", "Set prefill = false"),
        ("`temperature` is not supported by this model", "refused_request", "Remove it from extra_body"),
        ("thinking.budget_tokens: must be at least 1024", "refused_request", "Correct the thinking settings"),
        ("max_tokens: 900000 > 64000", "refused_request", "Set another max_tokens"),
        ("prompt is too long: 210000 tokens > 200000 maximum", "context_too_long", "Choose smaller sizes"),
        ("the request exceeds the available context size", "context_too_long", "Choose smaller sizes"),
        ("Your credit balance is too low", "refused_request", "The account has no credit left"),
        ("Your prompt triggered the content management policy.", "refused_request", "filter blocks the prompt"),
        ("odd", "refused_request", "extra_body may contain what it refuses"),
    ],
)
def test_a_refused_request_names_its_cell_and_the_setting(sentence: str, cause: str, advice: str) -> None:
    failure = meaning(status_error(400, {"type": "error", "error": {"type": "x", "message": sentence}}))
    assert (failure.cause, failure.fatal) == (cause, False)
    assert sentence.rstrip(".") in failure.message
    assert "It was lines-5." in failure.message
    assert advice in failure.message


@pytest.mark.parametrize("body", [{"error": {"code": "insufficient_quota"}}, {"code": "insufficient_quota"}])
def test_an_empty_account_at_openai_is_no_rate_limit(body: dict[str, Any]) -> None:
    failure = meaning(status_error(429, body))
    assert (failure.cause, failure.fatal) == ("refused_request", True)
    assert "no credit left" in failure.message


def test_the_key_of_another_api_is_named() -> None:
    profile = {"model": "toy", "api": "openai-chat", "base_url": "http://h.test", "key": "MINE_API_KEY"}
    named = [
        key_of(ModelProfile.model_validate({"model": "toy", **given})) for given in ({}, {"api": "gemini"}, profile)
    ]
    assert named == ["", "GOOGLE_API_KEY or GEMINI_API_KEY", "MINE_API_KEY"]
    failure = explain(status_error(401, None), "http://h.test", "", named[2])
    assert failure.message.endswith("Check MINE_API_KEY.")


def test_bedrock_says_what_is_wrong_in_its_own_way() -> None:
    failure = meaning(status_error(403, {"message": "You have no access to the model."}))
    assert failure.message == (
        "http://h.test answered 403: You have no access to the model. "
        "Check ANTHROPIC_API_KEY, or the credentials of the model's provider."
    )
