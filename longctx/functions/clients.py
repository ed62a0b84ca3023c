"""SDK clients on the recordings, so that a product's own code is under test unchanged.

What the code sends is what is recorded and compared; a streamed answer is made from the recorded message.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import anthropic
import httpx2
from anthropic._base_client import get_platform

from longctx.config.headers import VERSION, custom_headers, treatments
from longctx.engine.trials import Exchange
from longctx.errors import UserError
from longctx.functions.trial import TestMistake
from longctx.recording.request import COUNT_PATH, PATH

if TYPE_CHECKING:
    from longctx.functions.ask import Ask

BASE_URL = "http://recordings.invalid"
"""The address of the clients; nothing is sent there."""


def client(ask: Ask, model: str | None) -> anthropic.Anthropic:
    """Return an SDK client whose requests are answered from the recordings of the current trial."""
    http = anthropic.DefaultHttpxClient(transport=_Transport(ask, model))
    return anthropic.Anthropic(api_key="not-needed", base_url=BASE_URL, http_client=http, max_retries=0)


def async_client(ask: Ask, model: str | None) -> anthropic.AsyncAnthropic:
    """Return the same as an asynchronous client."""
    http = anthropic.DefaultAsyncHttpxClient(transport=_AsyncTransport(ask, model))
    return _AsyncClient(api_key="not-needed", base_url=BASE_URL, http_client=http, max_retries=0)


class _Transport(httpx2.BaseTransport):
    def __init__(self, ask: Ask, model: str | None) -> None:
        self._ask, self._model = ask, model

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        trial = self._ask.trial
        issued, streamed = _issued(self._ask, self._model, request, request.read())
        return _response(trial.receive(issued), streamed)


class _AsyncTransport(httpx2.AsyncBaseTransport):
    def __init__(self, ask: Ask, model: str | None) -> None:
        self._ask, self._model = ask, model

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        trial = self._ask.trial
        issued, streamed = _issued(self._ask, self._model, request, await request.aread())
        await asyncio.sleep(0)  # what runs beside it sends its requests before this reply is there
        return _response(trial.receive(issued), streamed)


class _AsyncClient(anthropic.AsyncAnthropic):
    """A client that never waits for a thread, so that requests at the same time are sent in the order of the code."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._platform = get_platform()  # else the SDK finds it out in a thread


def _issued(ask: Ask, named: str | None, request: httpx2.Request, content: bytes) -> tuple[Exchange, bool]:
    """Return a request of the SDK with its answer, and whether it is streamed.

    named: the model that the test names; None for the model under test.
    """
    path = request.url.path
    if request.method != "POST" or path not in (PATH, COUNT_PATH):
        raise TestMistake(
            UserError(
                "request-not-recordable",
                f"{ask.trial.case.id}: the code under test sends {request.method} {path}, and only messages and "
                "count_tokens can be recorded: give it this answer in another way.",
            )
        )
    body: dict[str, Any] = json.loads(content)
    model = ask.trial.case.model if named is None else ask.model(named)
    sent = {**body, "model": model.model}
    streamed = bool(sent.pop("stream", False))
    custom = {name.lower() for name, _ in custom_headers()}  # the environment's own are checked when a run asks
    given = (item for item in request.headers.multi_items() if item[0].lower() not in {*custom, VERSION})
    headers = treatments([*model.treatments.items(), *given])
    return ask.trial.issue(sent, headers, model, counts=path == COUNT_PATH), streamed


def _response(message: Mapping[str, Any], streamed: bool) -> httpx2.Response:
    if streamed:
        events = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events_of(message))
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=events.encode())
    return httpx2.Response(200, json=dict(message))


def events_of(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events by which the Messages API streams a message: every block in one piece."""
    usage = message.get("usage") or {}
    started = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": started | {"usage": {**usage, "output_tokens": 0}}}
    for index, block in enumerate(message["content"]):
        empty, deltas = _parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message.get("stop_reason"), "stop_sequence": message.get("stop_sequence")}
    yield {"type": "message_delta", "delta": ended, "usage": dict(usage)}
    yield {"type": "message_stop"}


def _parts(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a block as it starts, and the deltas that complete it. Blocks of other types start complete."""
    match block:
        case {"type": "text", "text": text}:
            deltas = [{"type": "text_delta", "text": text}]
            deltas += [{"type": "citations_delta", "citation": cited} for cited in block.get("citations") or ()]
            return {**block, "text": ""} | ({"citations": []} if block.get("citations") else {}), deltas
        case {"type": "thinking", "thinking": thinking}:
            signed = [{"type": "signature_delta", "signature": block["signature"]}] if block.get("signature") else []
            return {**block, "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": thinking},
                *signed,
            ]
        case {"type": "tool_use" | "server_tool_use", "input": given}:
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": json.dumps(given)}]
    return dict(block), []
