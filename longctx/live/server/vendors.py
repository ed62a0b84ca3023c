"""The client of a server with another API than Messages: whose key it sends where, and its requests."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import httpx2
from anthropic import AsyncAnthropic, Omit

from longctx.config.models import OF_APIS, VENDORS, ModelProfile
from longctx.errors import UserError
from longctx.live.explaining import NO_HEADER
from longctx.live.request import Request
from longctx.live.server.address import check_key_may_be_sent, is_loopback, parsed, same_server, without_path_of_api
from longctx.live.server.enquiry import body_of
from longctx.live.server.providers import Client, ClientSettings
from longctx.recording.apis import messages

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
    """The same for a server of Gemini's API, which takes its key in a header of its own."""

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
    url = base_url or model.base_url or os.environ.get(vendor.address) or vendor.server
    own = same_server(url, vendor.server)
    variable = model.key
    if own and variable not in ("", *vendor.keys):
        raise UserError(
            "key-of-another-server",
            f"The profile of {model.model} names the key {model.key}, which is not sent to {vendor.name}: remove it, "
            "or name its server in base_url.",
        )
    if own and not variable:
        variable = next(filter(os.environ.get, vendor.keys), vendor.keys[-1])
    if base_url is None and model.base_url and (variable or not is_loopback(parsed(url).host)):
        check_key_may_be_sent(url, f"The profile of {model.model}", provider=provider)
    key = os.environ.get(variable, "") if variable else NO_KEY
    if not key:
        raise UserError(
            "no-api-key",
            f"No API key was found for {model.model}: set {variable}, or give the URL of a server that speaks "
            f"{model.api} and needs none (--ctx-base-url). Without --ctx-record, recorded runs replay and need no key.",
        )
    if re.search(r"\s", key):
        raise UserError("bad-api-key", f"{NO_HEADER} Set {variable} again.")
    if provider == "google":  # the version is part of the address
        versioned = parsed(url).path.strip("/")
        return GoogleServer(api_key=key, base_url=url if versioned else f"{url.rstrip('/')}/v1", **settings)
    return OtherServer(api_key=key, base_url=without_path_of_api(url), **settings)


def key_of(model: ModelProfile) -> str:
    """Return the environment variables that hold the key of a model's server; empty for the Messages API."""
    return model.key or " or ".join(VENDORS[OF_APIS[model.api]].keys) if model.api in OF_APIS else ""


async def send(client: Client, request: Request, timeout_s: float) -> httpx2.Response:
    """Send a request by the API of its path, and return the answer. Raises AnthropicError."""
    arguments = request.arguments
    if request.wanted.path in messages.PATHS:
        raw = await client.messages.with_raw_response.create(**arguments, timeout=timeout_s)
        answer: httpx2.Response = raw.http_response
    else:
        sent: dict[str, Any] = {**arguments, "options": {**arguments["options"], "timeout": timeout_s}}
        answer = await client.post(**sent, cast_to=httpx2.Response)
    return answer


async def count_body(client: Client, request: Request) -> bytes:
    """Ask for a count of tokens, and return the body of the answer. Raises AnthropicError or NoAnswer."""
    if request.wanted.path in messages.PATHS:
        return await body_of(client.messages.with_raw_response.count_tokens(**request.arguments))
    answer: httpx2.Response = await client.post(**request.arguments, cast_to=httpx2.Response)
    return answer.content
