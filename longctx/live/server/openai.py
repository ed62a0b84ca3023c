"""The client of a server with an OpenAI API: whose key it sends where, and its requests."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import httpx2
from anthropic import AsyncAnthropic, Omit

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.live.explaining import NO_HEADER
from longctx.live.prepared import Prepared
from longctx.live.server.address import OPENAI, confirm, is_loopback, parsed, same_server, without_path_of_api
from longctx.live.server.enquiry import body_of
from longctx.live.server.providers import Client, ClientSettings
from longctx.recording.apis import messages

KEY = "OPENAI_API_KEY"
BASE_URL = "OPENAI_BASE_URL"
NO_KEY = "not-needed"


class OpenAIServer(AsyncAnthropic):
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


def open_openai(base_url: str | None, models: Sequence[ModelProfile], settings: ClientSettings) -> Client:
    """Return a client of the server that these models share. base_url: the server that the run names.

    A key goes to OpenAI's own server, or to one that the person named. Raises UserError.
    """
    model = models[0]
    url = base_url or model.base_url or os.environ.get(BASE_URL) or OPENAI
    own = same_server(url, OPENAI)
    variable = KEY if own else model.key
    if own and model.key not in ("", KEY):
        raise UserError(
            "key-of-another-server",
            f"The profile of {model.model} names the key {model.key}, which is not sent to OpenAI: remove it, or name "
            "its server in base_url.",
        )
    if base_url is None and model.base_url and (variable or not is_loopback(parsed(url).host)):
        confirm(url, f"The profile of {model.model}", provider="openai")
    key = os.environ.get(variable, "") if variable else NO_KEY
    if not key:
        raise UserError(
            "no-api-key",
            f"No API key was found for {model.model}: set {variable}, or give the URL of a server that speaks "
            f"{model.api} and needs none (--ctx-base-url). Without --ctx-record, recorded runs replay and need no key.",
        )
    if re.search(r"\s", key):
        raise UserError("bad-api-key", f"{NO_HEADER} Set {variable} again.")
    return OpenAIServer(api_key=key, base_url=without_path_of_api(url), **settings)


async def send(client: Client, prepared: Prepared, timeout_s: float) -> httpx2.Response:
    """Send a request by the API of its path, and return the answer. Raises AnthropicError."""
    if prepared.question.case.model.api == messages.NAME:
        raw = await client.messages.with_raw_response.create(**prepared.sent, timeout=timeout_s)
        answer: httpx2.Response = raw.http_response
    else:
        sent: dict[str, Any] = {**prepared.sent, "options": {**prepared.sent["options"], "timeout": timeout_s}}
        answer = await client.post(**sent, cast_to=httpx2.Response)
    return answer


async def count_body(client: Client, prepared: Prepared) -> bytes:
    """Ask for a count of tokens, and return the body of the answer. Raises AnthropicError or NoAnswer."""
    if prepared.question.case.model.api == messages.NAME:
        return await body_of(client.messages.with_raw_response.count_tokens(**prepared.sent))
    answer: httpx2.Response = await client.post(**prepared.sent, cast_to=httpx2.Response)
    return answer.content
