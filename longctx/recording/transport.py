"""The transport the SDK is given: it plays what is on the tape, and records what it has to fetch."""

from __future__ import annotations

import datetime
import time
from typing import Any

import httpx2

from longctx.recording.reply import MalformedAnswer, is_message
from longctx.recording.request import digest
from longctx.recording.rewritten import messages_body
from longctx.recording.tape import WANTED, Tape, Wanted

KEPT_HEADERS = ("content-type", "request-id")
"""All that is stored of an answer's headers. Of a request's, nothing is."""


SENT_AS = ("content-encoding", "content-length", "transfer-encoding")
MOST_BYTES = 32_000_000
"""No answer is larger."""


class NotOnTape(Exception):
    """A request that the tape has no answer to, where nothing may be asked."""


class TapeTransport(httpx2.AsyncBaseTransport):
    """Serves Messages requests from the tape or, where `inner` is given, from the network, which it records.

    Without `inner` nothing can reach the network: NotOnTape is raised. Other paths, such as count_tokens, pass
    through unrecorded; so do errors, and a 200 that holds no message. Raises NotRecorded where the answer could not be
    written.
    """

    def __init__(self, tape: Tape, inner: httpx2.AsyncBaseTransport | None = None) -> None:
        self._tape = tape
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = messages_body(request.url.path, await request.aread())
        if body is None:
            return await self._fetch(request)
        wanted = WANTED.get()
        if body.get("model") == wanted.sent_as:
            body["model"] = wanted.model
        if digest(body) != wanted.sha256:
            raise AssertionError(f"the SDK sends another body than the one {wanted.trial} is replayed by")
        stored = wanted.request()
        if self._tape.can_play_response_for(stored):
            return _played(self._tape.play_response(stored))
        return await self._record(request, wanted)

    async def aclose(self) -> None:
        if self._inner is not None:
            await self._inner.aclose()

    async def _fetch(self, request: httpx2.Request) -> httpx2.Response:
        if self._inner is None:
            raise NotOnTape(f"nothing may be asked, and the tape has no answer to {request.method} {request.url.path}")
        return await self._inner.handle_async_request(request)

    async def _record(self, request: httpx2.Request, wanted: Wanted) -> httpx2.Response:
        started = time.monotonic()
        response = await self._fetch(request)
        try:
            content = await _bounded(response)
        finally:
            await response.aclose()
        latency_s = time.monotonic() - started
        kept = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
        if response.status_code == 200 and is_message(content):
            answer = {
                "status": {"code": 200, "message": "OK"},
                "headers": {name: [value] for name, value in kept.items()},
                "body": {"string": content},
            }
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            self._tape.record(wanted, answer, now, latency_s)
        # The body is read and decompressed: what says how it was sent no longer holds.
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in SENT_AS]
        return httpx2.Response(response.status_code, headers=headers, content=content, request=request)


async def _bounded(response: httpx2.Response) -> bytes:
    """The whole body, decompressed. Raises MalformedAnswer where it is larger than any answer."""
    parts, size = [], 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise MalformedAnswer(
                f"the server's answer is larger than {MOST_BYTES:,} bytes; it begins with {parts[0][:80]!r}"
            )
    return b"".join(parts)


def _played(answer: dict[str, Any]) -> httpx2.Response:
    headers = [(name, value) for name, values in answer["headers"].items() for value in values]
    return httpx2.Response(answer["status"]["code"], headers=headers, content=answer["body"]["string"])
