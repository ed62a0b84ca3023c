"""A simulated Messages API server whose script says which requests fail, and how, for tests and benchmarks.

It is no model and is never used for recordings in cassettes/. It answers on one event loop, so that hundreds of
requests may be open at once, and counts the answers that a client would pay for: an answer is paid for once it is made,
whether or not it arrives.
"""

from __future__ import annotations

import asyncio
import functools
import gzip
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from longctx.recording.request import digest
from tests.servers import find_answer, message, prompt_of

Body = dict[str, Any]
HUGE = 40_000_000


@dataclass(frozen=True, slots=True)
class Reaction:
    """How the server treats one request.

    kind: one of KINDS. headers: sent with a refusal or with the right answer.
    """

    kind: str = "right"
    headers: dict[str, str] = field(default_factory=dict)


Script = Callable[[int, Body], Reaction]
"""Returns the reaction to a Messages request, given its number, counted from 0, and its body."""


class Cut(Exception):
    """Raised to reset the connection."""


REFUSALS = {
    "rate_limit": 429,
    "overloaded": 529,
    "server_error": 500,
    "bad_gateway": 502,
    "refused": 400,
    "bad_key": 401,
}
PAID = ("right", "zipped", "huge", "truncated", "reset", "html", "drip")
"""The kinds of reaction that a real server would charge for, because it had made an answer."""
KINDS = (*PAID, *REFUSALS, "reset_at_once", "hang")
FAULTS = tuple(kind for kind in KINDS if kind not in ("right", "zipped", "refused", "bad_key"))
"""The kinds of failure that a second request may get over."""


class MisbehavingServer:
    """Serves on a free port of 127.0.0.1 while it is entered, on a thread of its own.

    latency_s: the seconds from the end of a request to its answer. per_s: the requests that are allowed in a second, by
    a token bucket that holds one second's worth; further requests are refused at once with 429. says_when: these
    refusals have a `retry-after` header.
    """

    def __init__(
        self,
        script: Script = lambda number, body: Reaction(),
        *,
        latency_s: float = 0.0,
        per_s: float | None = None,
        says_when: bool = False,
    ) -> None:
        self._script, self._latency_s = script, latency_s
        self._per_s, self._says_when = per_s, says_when
        self._bucket, self._filled_at = per_s or 0.0, time.monotonic()
        self.paid: Counter[str] = Counter()
        """The number of answers made to each request, by its digest."""
        self.reactions: list[tuple[float, str]] = []
        """The arrival of each Messages request, in seconds of the monotonic clock, and the kind of its reaction."""
        self.open = self.most_open = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=1024)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._over.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await self._request(head.lower(), reader, writer)
        except (Cut, ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()
        except asyncio.CancelledError:
            writer.transport.abort()
            raise
        finally:
            writer.close()

    async def _request(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length = re.search(rb"\ncontent-length: *(\d+)", head)
        body = json.loads(await reader.readexactly(int(length[1]))) if length else {}
        came = time.monotonic()
        if head.split()[1].partition(b"?")[0] != b"/v1/messages":
            await _send(writer, 404, {}, b'{"error": {"message": "not found"}}')
            return
        reaction = self._refusal() or self._script(len(self.reactions), body)
        self.reactions.append((came, reaction.kind))
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            prompt = prompt_of(body)
            answer = message(find_answer(prompt), body, usage=_usage(prompt))
            if reaction.kind not in REFUSALS:
                await asyncio.sleep(came + self._latency_s - time.monotonic())
            if reaction.kind in PAID:
                self.paid[digest(body)] += 1
            await _react(reaction, answer, writer)
        finally:
            self.open -= 1

    def _refusal(self) -> Reaction | None:
        if self._per_s is None:
            return None
        now = time.monotonic()
        self._bucket = min(self._per_s, self._bucket + (now - self._filled_at) * self._per_s)
        self._filled_at = now
        if self._bucket >= 1:
            self._bucket -= 1
            return None
        return Reaction("rate_limit", {"retry-after": "1"} if self._says_when else {})


def _usage(prompt: str) -> dict[str, int]:
    return {"input_tokens": len(prompt) // 4, "output_tokens": 4}


@functools.cache
def _huge() -> bytes:
    return message("x" * HUGE, usage=_usage(""))


async def _react(reaction: Reaction, answer: bytes, writer: asyncio.StreamWriter) -> None:
    match reaction.kind:
        case "right":
            await _send(writer, 200, reaction.headers, answer)
        case "zipped":
            await _send(writer, 200, {"content-encoding": "gzip"}, gzip.compress(answer))
        case "huge":
            await _send(writer, 200, {}, _huge())
        case "truncated":
            await _send(writer, 200, {}, answer[: len(answer) // 2])
        case "html":
            await _send(writer, 200, {"content-type": "text/html"}, b"<html>busy</html>")
        case "reset":
            writer.write(_head(200, {}, len(answer)) + answer[: len(answer) // 2])
            await writer.drain()
            raise Cut
        case "reset_at_once":
            raise Cut
        case "drip":
            writer.write(_head(200, {}, len(answer)))
            for byte in answer:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.05)
        case "hang":
            await asyncio.sleep(3600)
        case kind:
            error = {"type": "error", "error": {"type": kind, "message": f"simulated {kind}"}}
            await _send(writer, REFUSALS[kind], reaction.headers, json.dumps(error).encode())


async def _send(writer: asyncio.StreamWriter, status: int, headers: dict[str, str], payload: bytes) -> None:
    writer.write(_head(status, headers, len(payload)) + payload)
    await writer.drain()


def _head(status: int, headers: dict[str, str], length: int) -> bytes:
    lines = {"content-type": "application/json", **headers, "content-length": str(length)}
    header_lines = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Simulated\r\n{header_lines}\r\n".encode()
