"""The Message Batches API, called through the SDK's client; its answers are parsed strictly."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import anthropic
import httpx2

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.live.batches.ledger import SAFE_ID
from longctx.live.rate_limits import moment
from longctx.live.server.calls import ENQUIRY_ERRORS, NoAnswer, body_of, malformed, no_connection, table
from longctx.live.server.client import Client
from longctx.live.server.credentials import Credentials
from longctx.live.server.explaining import explain, server_sentence
from longctx.recording.answer_body import MalformedAnswer, count, read_object
from longctx.recording.transport import MOST_BYTES, too_large

UPLOAD_S = 3600.0
"""The seconds within which a server must accept a batch, whose body may have 256 MB."""
DOWNLOAD_S = 3600.0
MOST_PER_REQUEST = 4_000_000
"""The most bytes of results that are read for each request of a batch; a reply of 128,000 tokens has one eighth."""
RAW_RESPONSE = "X-Stainless-Raw-Response"
"""The header by which the SDK gives an answer before its body is read."""
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What Python raises where an answer is not as expected."""
PAGE = 100
MOST_PAGES = 100
"""The most pages of a list of batches that are read."""
UNSUPPORTED = (404, 405, 501)
"""The statuses of a server without batches."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a batch on its server."""

    id: str
    status: str
    """in_progress, canceling or ended."""
    requests: int
    done: int
    """How many of its requests have ended."""
    created_at: datetime.datetime | None
    ended_at: datetime.datetime | None
    gone: bool
    """Whether its results were deleted."""

    @property
    def ended(self) -> bool:
        return self.status == "ended"


def check_provider(models: Sequence[ModelProfile]) -> None:
    """Raise UserError if a model cannot be asked in batches: by its provider or its profile's headers."""
    for model in models:
        if model.api != "anthropic":
            raise UserError(
                "api-without-batches",
                f"--ctx-batch: {model.model} uses the API {model.api}, for which longctx has no batches. Leave out "
                "--ctx-batch.",
            )
        if model.provider != "anthropic":
            raise UserError(
                "provider-without-batches",
                f"--ctx-batch: {model.model} uses {model.provider}, whose client in the Anthropic SDK has no batches. "
                "Leave out --ctx-batch, or use the Anthropic API.",
            )
        if model.headers:
            raise UserError(
                "headers-in-batch",
                f"--ctx-batch: the profile of {model.model} has headers ({', '.join(model.headers)}), which a server "
                "receives once per batch and not with each request. Leave out --ctx-batch.",
            )


class Service:
    """The batches of one server. All calls raise the exceptions in ENQUIRY_ERRORS."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.url = str(client.base_url).rstrip("/")

    async def check(self) -> None:
        """Raise UserError if the server takes no batches, or does not list them."""
        for client in (self._client.with_options(max_retries=0), self._client):
            try:
                await self._page("", client)
                return
            except ENQUIRY_ERRORS as error:
                failed = error
                if _lacks_batches(error) or no_connection(error):
                    break
        raise self.unusable(failed)

    def unusable(self, error: Exception) -> UserError:
        """Return a user's error for a server whose batches cannot be used."""
        if not _lacks_batches(error):
            return UserError("batches-out-of-reach", f"--ctx-batch: {explain(error, self.url).message}")
        why = f"{error}."
        if isinstance(error, anthropic.APIStatusError):
            why = f"{self.url} answered {error.status_code}: {server_sentence(error.body)}."
        return UserError(
            "server-without-batches",
            f"--ctx-batch needs a server that supports Message Batches: {why} Leave out --ctx-batch.",
        )

    async def create(self, requests: Sequence[dict[str, Any]], headers: Mapping[str, str]) -> State:
        """Create a batch. The request is sent once: the caller repeats it only if no batch was created.

        headers: the betas of all its requests.
        """
        batches = self._client.with_options(max_retries=0).messages.batches
        bodies: Any = requests
        call = batches.with_raw_response.create(requests=bodies, timeout=UPLOAD_S, extra_headers=headers or None)
        return read_state(await body_of(call, UPLOAD_S))

    async def retrieve(self, id: str) -> State:
        return read_state(await body_of(self._client.messages.batches.with_raw_response.retrieve(id)))

    async def cancel(self, id: str) -> State:
        return read_state(await body_of(self._client.messages.batches.with_raw_response.cancel(id)))

    async def results(self, id: str, requests: int, note: Callable[[dict[str, Any]], object]) -> None:
        """Call `note` with each result of a batch as it arrives, in any order.

        Lines that are not JSON objects are left out. requests: the number of requests of the batch. Results are fetched
        from the same server, whatever `results_url` says: the key would be sent to that host.
        """
        most = MOST_BYTES + requests * MOST_PER_REQUEST
        try:
            async with asyncio.timeout(DOWNLOAD_S), contextlib.aclosing(await self._download(id)) as response:
                credentials = Credentials.of(response.request)
                async for line in _lines(response, most):
                    with contextlib.suppress(ValueError, RecursionError):
                        result = json.loads(line)
                        if isinstance(result, dict):
                            note(_redacted(result, credentials))
        except TimeoutError:
            raise NoAnswer(f"within {DOWNLOAD_S:g} seconds") from None
        except httpx2.TransportError as error:
            raise anthropic.APIConnectionError(request=error.request) from error

    async def _download(self, id: str) -> httpx2.Response:
        """Return the answer with the results of a batch, whose body is not read yet."""
        path = f"/v1/messages/batches/{quote(id, safe='')}/results"
        options: Any = {"timeout": DOWNLOAD_S, "headers": {RAW_RESPONSE: "stream"}}
        return await self._client.get(path, cast_to=httpx2.Response, options=options)

    async def since(self, when: datetime.datetime) -> list[State]:
        """Return the batches that were created at this time or later, or whose time the server does not tell."""
        states: dict[str, State] = {}
        after = ""
        for _ in range(MOST_PAGES):
            page, more = await self._page(after, self._client)
            recent = {state.id: state for state in page if state.created_at is None or state.created_at >= when}
            old, seen = len(recent) < len(page), recent.keys() <= states.keys()
            states |= recent
            if not more or not page or old:
                return list(states.values())
            if seen:
                raise MalformedAnswer("the server's list of batches begins again and again")
            after = page[-1].id
        raise MalformedAnswer(f"the server's list of batches does not end: {MOST_PAGES} pages of it are read")

    async def _page(self, after: str, client: Client) -> tuple[list[State], bool]:
        arguments: dict[str, Any] = {"after_id": after} if after else {}
        body = await body_of(client.messages.batches.with_raw_response.list(limit=PAGE, **arguments))
        try:
            page = read_object(body)
            return [_state(batch) for batch in page["data"]], bool(page.get("has_more"))
        except UNREADABLE as error:
            raise malformed("list of batches", error, body) from None


def _lacks_batches(error: Exception) -> bool:
    status = error.status_code if isinstance(error, anthropic.APIStatusError) else None
    return isinstance(error, MalformedAnswer) or status in UNSUPPORTED


def read_state(body: bytes) -> State:
    """Return the state in the body of an answer. Raises MalformedAnswer."""
    try:
        return _state(read_object(body))
    except UNREADABLE as error:
        raise malformed("batch", error, body) from None


def _state(batch: dict[str, Any]) -> State:
    counts = {name: count(number) for name, number in batch["request_counts"].items()}
    requests = sum(counts.values())
    if not (re.fullmatch(SAFE_ID, batch["id"]) and isinstance(batch["processing_status"], str)):
        raise ValueError("its id cannot be one, or its status is not text")
    return State(
        batch["id"],
        batch["processing_status"],
        requests,
        requests - counts.get("processing", 0),
        moment(datetime.datetime.fromisoformat, str(batch.get("created_at"))),
        moment(datetime.datetime.fromisoformat, str(batch.get("ended_at"))),
        bool(batch.get("archived_at")),
    )


async def _lines(response: httpx2.Response, most: int) -> AsyncIterator[bytes]:
    """Yield the lines of an answer as they arrive.

    Raises MalformedAnswer beyond `most` bytes, or MOST_BYTES in one line.
    """
    line, size = bytearray(), 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > most:
            raise too_large(most, bytes(line + part))
        *ended, rest = part.split(b"\n")
        for end in ended:
            yield bytes(line + end)
            line.clear()
        line += rest
        if len(line) > MOST_BYTES:
            raise too_large(MOST_BYTES, bytes(line))
    yield bytes(line)


def _redacted(result: dict[str, Any], credentials: Credentials) -> dict[str, Any]:
    """Return a result, in which an error is redacted like the answer to a direct request."""
    if table(result.get("result")).get("type") != "errored":
        return result
    redacted: dict[str, Any] = json.loads(credentials.redacted(json.dumps(result)))
    return redacted
