"""The clients of a run: one for each server of its models, so that each key goes to its own."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import anthropic
from anthropic import AsyncAnthropic

from longctx.config.models import BETA, CUSTOM, VENDORS, ModelProfile, check_api, custom_headers, treatments
from longctx.errors import UserError
from longctx.live.explaining import NO_HEADER
from longctx.live.server.address import parsed, without_path_of_api
from longctx.live.server.network import ENCODING, Network
from longctx.live.server.providers import Client, ClientSettings, open_bedrock, open_foundry, open_vertex, provider_of
from longctx.live.server.vendors import open_vendor
from longctx.recording.tape import Tape
from longctx.recording.transport import TapeTransport

RETRIES = 4
"""The SDK's own retries of requests that are not trials, such as count_tokens. Trials: limiter.py."""


def open_client(
    tape: Tape | None,
    base_url: str | None,
    in_flight: int,
    provider: str = "anthropic",
    models: Sequence[ModelProfile] = (),
) -> Client:
    """Return a client whose Messages requests go through the tape, if there is one, to the network.

    Credentials are the SDK's own: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, or a profile that it finds; other providers
    have theirs. A server given by base_url may need no key. models: those that will be sent.

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
            "No API key was found: set ANTHROPIC_API_KEY for Claude, or name another server that speaks the Messages "
            "API (--ctx-base-url, or --base-url of a command). Without --ctx-record, recorded "
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
            f"{CUSTOM} sends the beta {betas[0]!r} with every request, and answers may depend on it. Declare it: add "
            f"betas = [{betas[0]!r}] to the profile of {model.model} "
            f"(fixtures/models), or remove it from {CUSTOM}.",
        )
    for name, value in found.items():  # a value is not shown: it may be a credential
        if model.headers.get(name) != value:
            raise UserError(
                "header-not-declared",
                f"{CUSTOM} sends the header {name!r} with every request, and it is not known as a credential or as "
                "transport. If answers may depend on it, add it with the same value to headers in the profile of "
                f"{model.model} (fixtures/models); if not, add its name to transport_headers there.",
            )


Server = tuple[str, str, str]
"""The provider of a server, and the address and the key that a model's profile names."""
Member = TypeVar("Member")


def server_of(model: ModelProfile) -> Server:
    return provider_of(model), model.base_url, model.key


@dataclass(frozen=True, slots=True)
class Clients:
    """The clients of a run, by the servers of its models."""

    of_servers: Mapping[Server, Client]

    def of(self, model: ModelProfile) -> Client:
        """Return the client that asks a model."""
        return self.of_servers[self.server_of(model)]

    def server_of(self, model: ModelProfile) -> Server:
        """Return the server that answers for a model."""
        return next(iter(self.of_servers)) if len(self.of_servers) == 1 else server_of(model)

    def grouped(
        self, members: Iterable[Member], model: Callable[[Member], ModelProfile]
    ) -> Iterator[tuple[Client, list[Member]]]:
        """Yield each client with the members whose model it asks, if there are any."""
        groups: dict[int, list[Member]] = {}
        for member in members:
            groups.setdefault(id(self.of(model(member))), []).append(member)
        yield from ((client, groups[id(client)]) for client in self.of_servers.values() if id(client) in groups)

    @property
    def first(self) -> Client:
        """The client of Anthropic's API, which alone has batches, if there is one; else any."""
        known = sorted(self.of_servers.items(), key=lambda entry: entry[0][0] in VENDORS)
        return known[0][1]

    def url(self, server: Server) -> str:
        """Return the address of a server."""
        return str(self.of_servers[server].base_url).rstrip("/")

    @property
    def named(self) -> str:
        """The addresses of the servers."""
        return " and ".join(dict.fromkeys(map(self.url, self.of_servers)))

    def without_retries(self) -> Clients:
        """Return the clients that send a request once."""
        return Clients({server: client.with_options(max_retries=0) for server, client in self.of_servers.items()})

    @classmethod
    def taken(cls, given: Client | Clients) -> Clients:
        """Return what is given, a single client as that of all models."""
        return given if isinstance(given, Clients) else cls({("", "", ""): given})


@contextlib.asynccontextmanager
async def open_clients(
    tape: Tape | None, base_url: str | None, in_flight: int, models: Sequence[ModelProfile]
) -> AsyncIterator[Clients]:
    """Open a client for each server of these models, as `open_client` does. Raises UserError before any is asked."""
    groups: dict[Server, list[ModelProfile]] = {}
    for model in models:
        groups.setdefault(server_of(model), []).append(model)
    async with contextlib.AsyncExitStack() as stack:
        opened = {
            server: open_client(tape, base_url, in_flight, server[0], of_server)
            for server, of_server in (groups or {("anthropic", "", ""): []}).items()
        }
        for client in opened.values():
            await stack.enter_async_context(client)
        yield Clients(opened)
