"""The SDK client of a live run: whose key it takes, and what its errors mean."""

from __future__ import annotations

import asyncio
from pathlib import Path

import anthropic
import httpx2
import pytest

from longctx.ask.client import Failure, explain, open_client
from longctx.ask.reply import MalformedAnswer
from longctx.ask.tape import Tape
from longctx.errors import UserError
from tests.ask.examples import replying


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_neither_key_nor_server(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No API key: set ANTHROPIC_API_KEY .* or give --ctx-base-url URL"):
        open_client(Tape(tmp_path), None, 4)


def test_a_server_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    assert open_client(Tape(tmp_path), "http://h.test", 4).api_key == "none-needed"


@pytest.mark.parametrize("base_url", [None, "http://h.test"])
def test_a_key_of_the_environment_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base_url: str | None
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")
    assert open_client(Tape(tmp_path), base_url, 4).api_key == "sk-1"


def test_a_token_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    client = open_client(Tape(tmp_path), "http://h.test", 4)
    assert (client.api_key, client.auth_token) == (None, "token")


@pytest.mark.parametrize(
    "base_url",
    ["", "h.test", "h.test:8080", "localhost:8080/v1", "ftp://h.test", "http://", "http://h:port", "http://\n"],
)
def test_a_url_that_is_none(tmp_path: Path, base_url: str) -> None:
    with pytest.raises(UserError, match=r"^--ctx-base-url '.*' is no URL"):
        open_client(Tape(tmp_path), base_url, 4)


def meaning(error: Exception) -> Failure:
    client = anthropic.AsyncAnthropic(api_key="sk-1", base_url="http://h.test")
    failure = explain(error, client)
    asyncio.run(client.close())
    return failure


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
        (413, "server_error", False),
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


def test_other_errors() -> None:
    request = httpx2.Request("POST", "http://h.test")
    assert meaning(anthropic.APITimeoutError(request)).cause == "timeout"
    down = meaning(anthropic.APIConnectionError(request=request))
    assert (down.cause, down.fatal) == ("connection", True)
    assert "is the server running?" in down.message
    assert meaning(MalformedAnswer("it begins with b'<'")).message == "it begins with b'<'."
    assert meaning(RuntimeError("odd")) == Failure("error", "RuntimeError: odd")


def test_the_client_asks_through_the_tape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not a question passes to the network that it opened."""
    monkeypatch.setattr("httpx2.AsyncHTTPTransport", lambda limits: replying(b'{"input_tokens": 7}'))

    async def count() -> int:
        async with open_client(Tape(tmp_path), "http://h.test", 4) as client:
            messages = [{"role": "user", "content": "?"}]
            return (await client.messages.count_tokens(model="toy", messages=messages)).input_tokens

    assert asyncio.run(count()) == 7
