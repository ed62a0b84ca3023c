"""The SDK client of a live run."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import anthropic
from anthropic import AsyncAnthropic

from longctx.config.models import BETA, CUSTOM, VENDORS, ModelProfile, check_api, custom_headers, treatments
from longctx.errors import UserError
from longctx.live.explaining import NO_HEADER
from longctx.live.server.address import parsed, without_path_of_api
from longctx.live.server.network import ENCODING, Network
from longctx.live.server.providers import Client, ClientSettings, open_bedrock, open_foundry, open_vertex
from longctx.live.server.vendors import open_vendor
from longctx.recording.tape import Tape
from longctx.recording.transport import TapeTransport

RETRIES = 4
"""The SDK's own retries of requests that are not questions, such as count_tokens. Questions: limiter/retry.py."""


def open_client(
    tape: Tape | None,
    base_url: str | None,
    in_flight: int,
    provider: str = "anthropic",
    models: Sequence[ModelProfile] = (),
) -> Client:
    """Return a client whose Messages requests go through the tape, if there is one, to the network.

    Credentials are the SDK's own: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, or a profile that it finds; other providers
    have theirs. A server given by base_url may need no key. models: those that will be asked.

    Raises UserError without a key, with an invalid URL, or if the environment adds what a model's profile lacks.
    """
    for model in models:
        check_api(model, base_url)
        _check_headers(model)
    if base_url is not None:
        parsed(base_url)
    network = Network(in_flight)
    transport = (
        network
        if tape is None
        else TapeTransport(tape, network, {name for model in models for name in model.transport_headers})
    )
    # A redirection is not followed: the key would be sent with it.
    http = anthropic.DefaultAsyncHttpxClient(
        transport=transport, follow_redirects=False, headers={"accept-encoding": ENCODING}
    )
    settings: ClientSettings = {"max_retries": RETRIES, "http_client": http}
    try:
        if provider in VENDORS:
            client: Client = open_vendor(base_url, models, settings)
        else:
            client = _opened(provider, base_url, settings)
    except (anthropic.AnthropicError, ValueError) as error:
        raise UserError("bad-client-settings", f"The SDK cannot use these settings: {error}.") from None
    if client.base_url.userinfo:  # sent as a header, since messages and ledgers hold the URL
        http.auth = client.base_url.username, client.base_url.password
        client.base_url = client.base_url.copy_with(userinfo=b"")
    return client


def _opened(provider: str, base_url: str | None, settings: ClientSettings) -> Client:
    match provider:
        case "bedrock":
            return open_bedrock(base_url, settings)
        case "vertex":
            return open_vertex(base_url, settings)
        case "foundry":
            return open_foundry(base_url, settings)
    return _open_anthropic(base_url, settings)


def _open_anthropic(base_url: str | None, settings: ClientSettings) -> AsyncAnthropic:
    keyless = base_url is not None and not (
        os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")
    )
    client = AsyncAnthropic(api_key="none-needed" if keyless else None, base_url=base_url, **settings)
    client.base_url = without_path_of_api(str(client.base_url))  # it adds /v1/messages, also to ANTHROPIC_BASE_URL
    if not (client.api_key or client.auth_token or client.credentials):
        raise UserError(
            "no-api-key",
            "No API key was found: set ANTHROPIC_API_KEY to ask Claude, or give the URL of another server that speaks "
            "the Messages API (pytest's --ctx-base-url, or --base-url of a command). Without --ctx-record, recorded "
            "runs replay and need no key.",
        )
    if any(re.search(r"\s", key) for key in (client.api_key, client.auth_token) if key):
        raise UserError("bad-api-key", f"{NO_HEADER} Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN again.")
    return client


def _check_headers(model: ModelProfile) -> None:
    """Raise UserError if ANTHROPIC_CUSTOM_HEADERS has a header on which answers may depend and the profile does not."""
    found = treatments(item for item in custom_headers() if item[0].lower() not in model.transport_headers)
    betas = [beta for beta in found.pop(BETA, "").split(",") if beta and beta not in model.betas]
    if betas:
        raise UserError(
            "beta-not-declared",
            f"{CUSTOM} sends the beta {betas[0]!r} with every question, and answers may depend on it, so "
            f"recordings must state it: add betas = [{betas[0]!r}] to the profile of {model.model} "
            f"(fixtures/models), or take it out of {CUSTOM}.",
        )
    for name, value in found.items():  # a value is not shown: it may be a credential
        if model.headers.get(name) != value:
            raise UserError(
                "header-not-declared",
                f"{CUSTOM} sends the header {name!r} with every question, which is not known as a credential or as "
                f"transport. If answers may depend on it, add it with the same value to headers in the profile of "
                f"{model.model} (fixtures/models); if not, add its name to transport_headers there.",
            )
