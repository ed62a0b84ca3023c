"""The clients of a run: one for each server of its models, so that each key goes to its own.

Credentials, region and project come from the environment. A missing one is reported before anything is asked.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypedDict, TypeVar

import anthropic
import httpx2
from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicFoundry, AsyncAnthropicVertex, Omit
from anthropic import DefaultAsyncHttpxClient as HttpClient

from longctx.config.models import BETA, CUSTOM, OF_APIS, VENDORS, ModelProfile, check_api, custom_headers, treatments
from longctx.errors import UserError
from longctx.live.server.addresses import check_key_may_be_sent, is_loopback, parsed, same_server, without_path_of_api
from longctx.live.server.credentials import NO_HEADER
from longctx.live.server.network import ENCODING, Network, no_cookies
from longctx.own_environment import variable
from longctx.recording.tape import Tape
from longctx.recording.transport import TapeTransport
from longctx.results.grouping import grouped

Client = AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicVertex
"""A client of the SDK. All have `messages`, `base_url` and `close`; Foundry's is an AsyncAnthropic."""

GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"

NEEDED = {"bedrock": "boto3", "vertex": "google-auth[requests]"}
"""The additional package that a provider needs, pinned in requirements-providers.txt and an extra of longctx."""


class ClientSettings(TypedDict):
    """The settings of every client."""

    max_retries: int
    http_client: HttpClient


def provider_of(model: ModelProfile) -> str:
    """Return the provider of a model: that of the Messages API, or the vendor of another API, whoever serves it."""
    return OF_APIS.get(model.api, model.provider)


def open_bedrock(base_url: str | None, settings: ClientSettings) -> AsyncAnthropicBedrock:
    """Return a client of Bedrock. Raises UserError without credentials, ValueError without a region."""
    if not variable("AWS_BEARER_TOKEN_BEDROCK"):
        boto3 = _needed("boto3", "bedrock")
        failures = _needed("botocore.exceptions", "bedrock").BotoCoreError
        try:
            credentials = boto3.Session().get_credentials()
        except failures as error:
            raise UserError(
                "bad-aws-credentials",
                f"AWS credentials cannot be used: {error}. Check AWS_PROFILE and your AWS configuration.",
            ) from None
        if credentials is None:
            raise UserError(
                "no-aws-credentials",
                "No AWS credentials were found for Bedrock: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.",
            )
    return AsyncAnthropicBedrock(base_url=base_url, **settings)


def open_vertex(base_url: str | None, settings: ClientSettings) -> AsyncAnthropicVertex:
    """Return a client of Vertex. Raises UserError without credentials or a project, ValueError without a region."""
    auth = _needed("google.auth", "vertex")
    failures = _needed("google.auth.exceptions", "vertex").GoogleAuthError
    request = _needed("google.auth.transport.requests", "vertex").Request
    try:
        credentials, project = auth.default(scopes=[GOOGLE_SCOPE])
        credentials.refresh(request())
    except failures as error:
        raise UserError(
            "no-google-credentials",
            f"No Google credentials were found for Vertex ({error}): set GOOGLE_APPLICATION_CREDENTIALS to a key file, "
            "or run gcloud auth application-default login.",
        ) from None
    project = variable("ANTHROPIC_VERTEX_PROJECT_ID") or project
    if not project:
        raise UserError(
            "no-google-project", "No Google Cloud project was given for Vertex: set ANTHROPIC_VERTEX_PROJECT_ID."
        )
    return AsyncAnthropicVertex(project_id=project, credentials=credentials, base_url=base_url, **settings)


def open_foundry(base_url: str | None, settings: ClientSettings) -> AsyncAnthropicFoundry:
    """Return a client of Foundry. Raises UserError without a key, ValueError without a resource."""
    if not variable("ANTHROPIC_FOUNDRY_API_KEY"):
        raise UserError(
            "no-foundry-key",
            "No API key was found for Foundry: set ANTHROPIC_FOUNDRY_API_KEY, and ANTHROPIC_FOUNDRY_RESOURCE to the "
            "name of your resource.",
        )
    if base_url is not None:
        return AsyncAnthropicFoundry(base_url=base_url, **settings)
    return AsyncAnthropicFoundry(**settings)


OPENED_BY: dict[str, Callable[[str | None, ClientSettings], Client]] = {
    "bedrock": open_bedrock,
    "vertex": open_vertex,
    "foundry": open_foundry,
}
"""The function that opens a client of each provider but Anthropic, by its name in model profiles."""


def _needed(module: str, provider: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UserError(
            "provider-package-missing",
            f"The provider {provider!r} needs a package that is not installed ({error}): "
            f"pip install '{NEEDED[provider]}'.",
        ) from None


NO_KEY = "not-needed"


class OtherServer(AsyncAnthropic):
    """The HTTP client of the Anthropic SDK, with its errors and time limits, for another server.

    It sends no header of the environment's ANTHROPIC_CUSTOM_HEADERS, and no credential but the key that it is given.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._custom_headers = {}  # those of the environment may be credentials of Anthropic's gateway

    @property
    def default_headers(self) -> dict[str, str | Omit]:
        """The headers of every request."""
        return {"Accept": "application/json", "Content-Type": "application/json", **self.auth_headers}


class GoogleServer(OtherServer):
    """The client of a server of Gemini's API, which takes its key in its own header."""

    @property
    def auth_headers(self) -> dict[str, str]:
        return {"x-goog-api-key": str(self.api_key)}

    def _validate_headers(self, headers: httpx2.Headers, omitted: frozenset[str]) -> None:
        """Ask for no other header with a key."""


def open_vendor(base_url: str | None, models: Sequence[ModelProfile], settings: ClientSettings) -> Client:
    """Return a client of the server that these models share. base_url: the server that the run names.

    A key goes to the vendor's own server, or to one that the person named. Raises UserError.
    """
    model = models[0]
    provider = OF_APIS[model.api]
    vendor = VENDORS[provider]
    url = base_url or model.base_url or variable(vendor.address) or vendor.server
    own = same_server(url, vendor.server)
    key_variable = model.key
    if own and key_variable not in ("", *vendor.keys):
        raise UserError(
            "key-of-another-server",
            f"The profile of {model.model} names the key {model.key}, which is not sent to {vendor.name}: remove it, "
            "or name the server in base_url.",
        )
    if own and not key_variable:
        key_variable = next(filter(variable, vendor.keys), vendor.keys[-1])
    if base_url is None and model.base_url and (key_variable or not is_loopback(parsed(url).host)):
        check_key_may_be_sent(url, f"The profile of {model.model}", provider=provider)
    key = variable(key_variable) if key_variable else NO_KEY
    if not key:
        raise UserError(
            "no-api-key",
            f"No API key was found for {model.model}: set {key_variable}, or name a server that speaks {model.api} and "
            "needs none (--ctx-base-url). Without --ctx-record, recorded runs replay and need no key.",
        )
    if re.search(r"\s", key):
        raise UserError("bad-api-key", f"{NO_HEADER} Set {key_variable} again.")
    if provider == "google":  # the version is part of the address
        versioned = parsed(url).path.strip("/")
        return GoogleServer(api_key=key, base_url=url if versioned else f"{url.rstrip('/')}/v1", **settings)
    return OtherServer(api_key=key, base_url=without_path_of_api(url), **settings)


def key_of(model: ModelProfile) -> str:
    """Return the environment variables that hold the key of a model's server; empty for the Messages API."""
    return model.key or " or ".join(VENDORS[OF_APIS[model.api]].keys) if model.api in OF_APIS else ""


RETRIES = 4
"""The SDK's own retries of requests that are not trials, such as count_tokens. Trials: attempts.py."""


def open_client(
    tape: Tape | None,
    base_url: str | None,
    in_flight: int,
    provider: str = "anthropic",
    models: Sequence[ModelProfile] = (),
) -> Client:
    """Return a client whose Messages requests go through the tape, if there is one, to the network.

    Credentials are the SDK's own: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, or a profile that it finds; other providers
    have theirs. A server given by base_url may need no key. models: those that will answer.

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
        transport=transport, follow_redirects=False, headers={"accept-encoding": ENCODING}, cookies=no_cookies()
    )
    settings: ClientSettings = {"max_retries": RETRIES, "http_client": http}
    try:
        if provider in VENDORS:
            client: Client = open_vendor(base_url, models, settings)
        else:
            client = OPENED_BY.get(provider, _open_anthropic)(base_url, settings)
    except (anthropic.AnthropicError, ValueError) as error:
        raise UserError("bad-client-settings", f"The SDK cannot use these settings: {error}.") from None
    if client.base_url.userinfo:  # sent as a header, since messages and ledgers hold the URL
        http.auth = client.base_url.username, client.base_url.password
        client.base_url = client.base_url.copy_with(userinfo=b"")
    return client


def _open_anthropic(base_url: str | None, settings: ClientSettings) -> AsyncAnthropic:
    keyless = base_url is not None and not (variable("ANTHROPIC_API_KEY") or variable("ANTHROPIC_AUTH_TOKEN"))
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
        groups = grouped(members, lambda member: id(self.of(model(member))))
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
    groups = grouped(models, server_of)
    async with contextlib.AsyncExitStack() as stack:
        opened = {
            server: open_client(tape, base_url, in_flight, server[0], same_server)
            for server, same_server in (groups or {("anthropic", "", ""): []}).items()
        }
        for client in opened.values():
            await stack.enter_async_context(client)
        yield Clients(opened)
