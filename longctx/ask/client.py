"""The SDK client of a live run, and what its errors mean in a sentence. The only module that imports the SDK."""

from __future__ import annotations

import os
from dataclasses import dataclass

import anthropic
import httpx2
from anthropic import AsyncAnthropic

from longctx.ask.reply import MalformedAnswer
from longctx.ask.tape import Tape
from longctx.ask.transport import TapeTransport
from longctx.errors import UserError

RETRIES = 4
"""The SDK's own retries, with its back-off, on 408, 409, 429, 5xx and broken connections."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a trial was not measured. `fatal`: no other trial would fare better, so asking stops."""

    cause: str
    message: str
    fatal: bool = False


def open_client(tape: Tape, base_url: str | None, in_flight: int) -> AsyncAnthropic:
    """A client whose Messages requests go through the tape to the network. Raises UserError without a key or a URL.

    A server given by base_url may need no key. Credentials are the SDK's own: ANTHROPIC_API_KEY,
    ANTHROPIC_AUTH_TOKEN, or a profile it finds.
    """
    if base_url is not None:
        _check_url(base_url)
    limits = httpx2.Limits(max_connections=in_flight + 2, max_keepalive_connections=in_flight + 2)
    transport = TapeTransport(tape, httpx2.AsyncHTTPTransport(limits=limits))
    keyless = base_url is not None and not (
        os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")
    )
    try:
        client = AsyncAnthropic(
            api_key="none-needed" if keyless else None,
            base_url=base_url,
            max_retries=RETRIES,
            http_client=anthropic.DefaultAsyncHttpxClient(transport=transport),
        )
    except (anthropic.AnthropicError, ValueError) as error:
        raise UserError(f"The SDK cannot use these settings: {error}.") from None
    if not (client.api_key or client.auth_token or client.credentials):
        raise UserError(
            "No API key: set ANTHROPIC_API_KEY to ask Claude, or give --ctx-base-url URL for another server that "
            "speaks the Messages API. Recorded runs replay without a key: leave out --ctx-record."
        )
    return client


def _check_url(base_url: str) -> None:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise UserError(f"--ctx-base-url {base_url!r} is no URL: {error}.") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise UserError(f"--ctx-base-url {base_url!r} is no URL of a server: write it like http://127.0.0.1:8080.")


def explain(error: Exception, client: AsyncAnthropic) -> Failure:
    """What went wrong, and whether asking on makes sense."""
    if isinstance(error, MalformedAnswer):
        return Failure("malformed_answer", f"{error}.")
    if isinstance(error, OSError):
        return Failure("not_recorded", f"An answer could not be written to its cassette: {error}.", fatal=True)
    if isinstance(error, anthropic.APITimeoutError):
        return Failure("timeout", f"{client.base_url} gave no answer in time.")
    if isinstance(error, anthropic.APIConnectionError):
        cause = error.__cause__ or error
        return Failure(
            "connection", f"No connection to {client.base_url} ({cause}): is the server running?", fatal=True
        )
    if isinstance(error, anthropic.APIStatusError):
        said = f"{client.base_url} answered {error.status_code}: {_server_sentence(error)}"
        if error.status_code in (401, 403):
            return Failure("bad_key", f"{said}. Check ANTHROPIC_API_KEY.", fatal=True)
        if error.status_code == 404:
            return Failure("no_such_model", f"{said}. Check --ctx-model and --ctx-base-url.", fatal=True)
        if error.status_code == 400:
            return Failure("refused_request", f"{said}. The model profile's extra_body may ask for what it refuses.")
        names = {429: "rate_limit", 529: "overloaded", 408: "timeout"}
        return Failure(names.get(error.status_code, "server_error"), f"{said}.")
    return Failure("error", f"{type(error).__name__}: {error}")


def _server_sentence(error: anthropic.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        return str(body["error"].get("message", body["error"])).rstrip(".")
    return str(body)[:200].rstrip(".")
