"""The Message Batches API, called through the SDK's client; its answers are parsed strictly."""

from __future__ import annotations

import contextlib
import datetime
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import anthropic
import httpx2

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.live.batches.ledger import SAFE_ID
from longctx.live.explaining import explain, server_sentence
from longctx.live.server.enquiry import ENQUIRY_ERRORS, body_of, malformed
from longctx.live.server.providers import Client
from longctx.recording.reply import MalformedAnswer, count, read_object

UPLOAD_S = 3600.0
"""The seconds within which a server must accept a batch, whose body may have 256 MB."""
DOWNLOAD_S = 3600.0
PAGE = 100
UNSUPPORTED = (404, 405, 501)
"""The statuses of a server without batches."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a batch on its server.

    status: in_progress, canceling or ended. done: how many of its requests have ended. gone: whether its results were
    deleted.
    """

    id: str
    status: str
    requests: int
    done: int
    created_at: datetime.datetime | None
    ended_at: datetime.datetime | None
    gone: bool

    @property
    def ended(self) -> bool:
        return self.status == "ended"


def check_provider(models: Sequence[ModelProfile]) -> None:
    """Raise UserError if a model cannot be asked in batches: by its provider or its profile's headers."""
    for model in models:
        if model.provider != "anthropic":
            raise UserError(
                "provider-without-batches",
                f"--ctx-batch: {model.model} is asked through {model.provider}, whose client in the Anthropic SDK has "
                "no batches. Leave --ctx-batch out, or ask it through the Anthropic API.",
            )
        if model.headers:
            raise UserError(
                "headers-in-batch",
                f"--ctx-batch: the profile of {model.model} has headers ({', '.join(model.headers)}), which a "
                "server gets with the batch and not with each of its questions. Leave --ctx-batch out.",
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
                if _lacks_batches(error):
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
            f"--ctx-batch needs a server that takes Message Batches: {why} Leave --ctx-batch out.",
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

    async def results(self, id: str) -> list[dict[str, Any]]:
        """Return the results of a batch in any order; lines that are not JSON objects are left out.

        They are requested from the same server, whatever `results_url` says: the key would be sent to that host.
        """
        response = await self._client.get(
            f"/v1/messages/batches/{quote(id, safe='')}/results",
            cast_to=httpx2.Response,
            options={"timeout": DOWNLOAD_S},
        )
        results = []
        for line in response.content.split(b"\n"):
            with contextlib.suppress(ValueError, RecursionError):
                result = json.loads(line)
                if isinstance(result, dict):
                    results.append(result)
        return results

    async def since(self, when: datetime.datetime) -> list[State]:
        """Return the batches that were created at this time or later, or whose time the server does not tell."""
        states: list[State] = []
        after = ""
        while True:
            page, more = await self._page(after, self._client)
            recent = [state for state in page if state.created_at is None or state.created_at >= when]
            states += recent
            if not more or len(recent) < len(page) or not page:
                return states
            after = page[-1].id

    async def _page(self, after: str, client: Client) -> tuple[list[State], bool]:
        arguments: dict[str, Any] = {"after_id": after} if after else {}
        body = await body_of(client.messages.batches.with_raw_response.list(limit=PAGE, **arguments))
        try:
            page = read_object(body)
            return [_state(batch) for batch in page["data"]], bool(page.get("has_more"))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise malformed("list of batches", error, body) from None


def _lacks_batches(error: Exception) -> bool:
    status = error.status_code if isinstance(error, anthropic.APIStatusError) else None
    return isinstance(error, MalformedAnswer) or status in UNSUPPORTED


def read_state(body: bytes) -> State:
    """Return the state in the body of an answer. Raises MalformedAnswer."""
    try:
        return _state(read_object(body))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
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
        _moment(batch.get("created_at")),
        _moment(batch.get("ended_at")),
        bool(batch.get("archived_at")),
    )


def _moment(text: object) -> datetime.datetime | None:
    try:
        moment = datetime.datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
