"""A simulated Messages API server for the tests. It is no model, and is never used for recordings in cassettes/."""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

PATIENCE = 60
"""Seconds after which a test that waits for a request gives up; no test is meant to wait so long."""

Body = dict[str, Any]
Answer = tuple[int, dict[str, str], bytes]
Script = Callable[[Body], Answer]
"""What the server says to a request's body: status, headers, payload."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came: its path, headers (names in lower case), decoded body, empty for a GET, and query."""

    path: str
    headers: dict[str, str]
    body: Body
    query: dict[str, str] = field(default_factory=dict)


def count_tokens(text: str) -> int:
    """The simulated tokenizer: words and single signs."""
    return len(re.findall(r"\w+|\S", text))


def find_answer(prompt: str) -> str:
    """The right answer to a line retrieval or passkey prompt, found by reading it; `none` where there is none."""
    if asked := re.search(r"Go to line (\d+)", prompt):
        found = re.search(rf"^line {asked[1]}: \D*(\d+)", prompt, re.MULTILINE)
    else:
        found = re.search(r"pass key is (\d+)", prompt)
    return found[1] if found else "none"


def prompt_of(body: Body) -> str:
    return "\n".join(text_of(message["content"]) for message in body["messages"])


def text_of(content: str | list[dict[str, Any]]) -> str:
    """Of a message, in one piece or in text blocks."""
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def message(text: str, body: Body | None = None, **changed: Any) -> bytes:
    """A Messages API answer with that text, with top-level fields changed."""
    body = body or {"model": "toy", "messages": [{"role": "user", "content": "?"}]}
    if "usage" not in changed:
        changed["usage"] = {"input_tokens": count_tokens(prompt_of(body)), "output_tokens": count_tokens(text)}
    answer = {
        "id": "msg_simulated",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
    }
    return json.dumps(answer | changed).encode()


def right(body: Body) -> Answer:
    """The default script."""
    return 200, {}, message(find_answer(prompt_of(body)), body)


def saying(text: str, **changed: Any) -> Script:
    """A script that always answers the same."""
    return lambda body: (200, {}, message(text, body, **changed))


def counting(body: Body) -> Answer:
    """The right answer of count_tokens."""
    return 200, {}, json.dumps({"input_tokens": count_tokens(prompt_of(body))}).encode()


def giving(payload: bytes, **headers: str) -> Script:
    """A script that always answers 200 with this."""
    return lambda body: (200, headers, payload)


def failing(status: int, sentence: str = "simulated failure", **headers: str) -> Script:
    """A script that answers every question with an API error."""
    error = {"type": "error", "error": {"type": "simulated_error", "message": sentence}}
    return lambda body: (status, headers, json.dumps(error).encode())


class _Served:
    """Serves on a free port of 127.0.0.1, at `url`, while it is entered."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._http = _Http(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class SimulatedServer(_Served):
    """Serves on a free port of 127.0.0.1 while it is entered.

    `script` may be changed at any time; so may `counting`, of count_tokens, and `telling`, of GET /v1/models/{id}.
    Messages beyond `hold_after`, and requests whose path begins with one of `held`, get no answer before `release` is
    set. `zipped`: replies are compressed. `window`: what GET /v1/models/{id} tells; None: it answers 404.
    """

    def __init__(
        self, script: Script = right, *, hold_after: int | None = None, zipped: bool = False, window: int | None = None
    ) -> None:
        self.script = script
        self.counting: Script = counting
        self.telling: Script = self._tell
        self.hold_after = hold_after
        self.held: tuple[str, ...] = ()
        self.release = threading.Event()
        self.zipped = zipped
        self.window = window
        self.capabilities: Body | None = None
        self.received: list[Received] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._changed = threading.Condition()
        super().__init__(_handler(self))

    def __exit__(self, *_: object) -> None:
        self.release.set()
        super().__exit__()

    @property
    def asked(self) -> list[Body]:
        """The bodies of the Messages requests."""
        return [request.body for request in self.received if request.path == "/v1/messages"]

    def wait_for(self, number: int, path: str = "/v1/messages") -> None:
        """Return when that many requests, of Messages by default, have come."""

        def came() -> int:
            return [request.path for request in self.received].count(path)

        with self._changed:
            assert self._changed.wait_for(lambda: came() >= number, PATIENCE), f"{came()} came"

    def answer(self, request: Received) -> Answer:
        with self._changed:
            self.received.append(request)
            place = len(self.asked)
            self._changed.notify_all()
        if request.path.startswith(self.held):
            self.release.wait(PATIENCE)
        if request.path == "/v1/messages":
            return self._answer_message(request.body, place)
        if request.path == "/v1/messages/count_tokens":
            return self.counting(request.body)
        if request.path.startswith("/v1/models/"):
            return self.telling({"id": request.path.rpartition("/")[2]})
        return self.answer_other(request)

    def answer_other(self, request: Received) -> Answer:
        """What a server says that also knows other paths."""
        return failing(404, "not found")({})

    def _tell(self, asked: Body) -> Answer:
        if self.window is None:
            return failing(404, "not found")({})
        model = asked | {"type": "model", "display_name": "simulated"}
        known = {"created_at": "2026-01-01T00:00:00Z", "max_input_tokens": self.window}
        known |= {"capabilities": self.capabilities} if self.capabilities else {}
        return 200, {}, json.dumps(model | known).encode()

    def _answer_message(self, body: Body, place: int) -> Answer:
        with self._changed:
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        if self.hold_after is not None and place > self.hold_after:
            self.release.wait(PATIENCE)
        with self._changed:
            self.in_flight -= 1
        return self.script(body)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of some tests."""


def _handler(server: SimulatedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._reply({})

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"] or 0)) or b"{}"
            form = self.headers.get_content_type() == "application/x-www-form-urlencoded"
            self._reply(dict(parse_qsl(content.decode())) if form else json.loads(content))

        def _reply(self, body: Body) -> None:
            path, _, query = self.path.partition("?")
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, extra, payload = server.answer(Received(path, headers, body, dict(parse_qsl(query))))
            if server.zipped:
                extra, payload = {**extra, "content-encoding": "gzip"}, gzip.compress(payload)
            self.send_response(status)
            for name, value in {"content-type": "application/json", **extra}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: Any) -> None:
            """Silent: what came is in `received`."""

    return Handler


class ForwardProxy(_Served):
    """A proxy for plain HTTP, on a free port of 127.0.0.1 while it is entered. `passed`: the request lines it got."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        super().__init__(_forwarder(self))


def _forwarder(proxy: ForwardProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            proxy.passed.append(self.requestline)
            target = urlsplit(self.path)
            body = self.rfile.read(int(self.headers["content-length"]))
            upstream = HTTPConnection(target.netloc, timeout=PATIENCE)
            upstream.request("POST", target.path, body, dict(self.headers.items()))
            answer = upstream.getresponse()
            payload = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)
            upstream.close()

        def log_message(self, format: str, *args: Any) -> None:
            """Silent: what came is in `passed`."""

    return Handler
