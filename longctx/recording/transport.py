"""The SDK's transport: it plays answers from the tape, and records those that it fetches from the network."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import httpx2

from longctx import clocks
from longctx.config.models import BETA, VERSION, header_lines, treatments
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis import api_at, canonical_path, is_answer, messages, with_model
from longctx.recording.request import Place, digest, messages_body, without_cache_marks
from longctx.recording.tape import PLACE, Tape

KEPT_HEADERS = ("content-type", "request-id")
"""The headers of an answer that are stored. No header of a request is."""
ENCODING_HEADERS = ("content-encoding", "content-length", "transfer-encoding")
MOST_BYTES = 32_000_000
"""The size from which on an answer is not read further."""


class NotOnTape(Exception):
    """The tape has no answer to a request, and no request may be sent."""


class TapeTransport(httpx2.AsyncBaseTransport):
    """A transport that answers from the tape or, through `inner`, from the network, and records what that answers.

    Without `inner` nothing can reach the network: it raises NotOnTape. Requests to other paths, such as count_tokens,
    are passed through and not recorded. Errors, and a 200 that is no answer of the request's API, are not recorded
    either. Raises NotRecorded if an answer could not be written.
    """

    def __init__(
        self, tape: Tape, inner: httpx2.AsyncBaseTransport | None = None, passing: Collection[str] = ()
    ) -> None:
        """passing: the names of headers that are sent and on which no answer depends, besides those that are known."""
        self._tape = tape
        self._inner = inner
        self._passing = passing

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = _body(request.url.path, await request.aread(), request.headers.get(BETA, ""))
        if body is None:
            return await self._fetch(request)
        place = PLACE.get()
        if body.get("model") == place.sent_as:
            body["model"] = place.model
        passing = {*self._passing, *(() if f"{VERSION}:" in place.headers else (VERSION,))}
        headers = treatments(item for item in request.headers.multi_items() if item[0] not in passing)
        if header_lines(headers) != place.headers:
            names = ", ".join(headers) or "none"
            raise AssertionError(f"the SDK sends other headers ({names}) than those of the recorded {place.trial}")
        # A protocol's request is compared as it is sent, one of a test function as the project's hook returns it.
        compared = (
            each for sent in (body, without_cache_marks(body)) for each in (sent, self._tape.rewriting.compared(sent))
        )
        if all(digest(each, headers, place.path) != place.sha256 for each in compared):
            raise AssertionError(f"the SDK sends another body than that of the recorded {place.trial}")
        if (recorded := self._tape.response(place)) is not None:
            return _played(recorded)
        return await self._record(request, place)

    async def aclose(self) -> None:
        if self._inner is not None:
            await self._inner.aclose()

    async def _fetch(self, request: httpx2.Request) -> httpx2.Response:
        if self._inner is None:
            raise NotOnTape(
                f"no request may be sent, and there is no recorded answer to {request.method} {request.url.path}"
            )
        return await self._inner.handle_async_request(request)

    async def _record(self, request: httpx2.Request, place: Place) -> httpx2.Response:
        started = clocks.monotonic()
        response = await self._fetch(request)
        try:
            content = await _bounded(response)
        finally:
            await response.aclose()
        latency_s = clocks.monotonic() - started
        kept = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
        if recorded := is_answer(place.path, content, response.status_code):
            answer = {
                "status": {"code": 200, "message": "OK"},  # a refused prompt is an answer, too
                "headers": {name: [value] for name, value in kept.items()},
                "body": {"string": content},
            }
            now = clocks.stamp()
            self._tape.record(place, answer, now, latency_s)
        # The body has been decompressed, so the headers on its encoding no longer hold.
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in ENCODING_HEADERS]
        status = 200 if recorded else response.status_code
        return httpx2.Response(status, headers=headers, content=content, request=request)


def _body(path: str, content: bytes, betas: str) -> dict[str, Any] | None:
    """Return the body of a request for an answer; None for any other request."""
    api = api_at(path)
    if api is None or api is messages:
        return messages_body(path, content, betas)
    return with_model(path, json.loads(content)) if canonical_path(path) == api.PATH else None


async def _bounded(response: httpx2.Response) -> bytes:
    """Return the whole body, decompressed. Raises MalformedAnswer if it is larger than MOST_BYTES."""
    parts, size = [], 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise too_large(MOST_BYTES, parts[0])
    return b"".join(parts)


def too_large(most: int, beginning: bytes) -> MalformedAnswer:
    """Return the error for an answer of more than `most` bytes."""
    return MalformedAnswer(f"the server's answer is larger than {most:,} bytes; it begins with {beginning[:80]!r}")


def _played(answer: dict[str, Any]) -> httpx2.Response:
    headers = [(name, value) for name, values in answer["headers"].items() for value in values]
    return httpx2.Response(answer["status"]["code"], headers=headers, content=answer["body"]["string"])
