"""A simulated Messages API server for the tests. It is no model, and is never used for recordings in cassettes/."""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

PATIENCE = 60
"""Seconds after which a test that waits for a request gives up; no test is meant to wait so long."""

Body = dict[str, Any]
Answer = tuple[int, dict[str, str], bytes]
Script = Callable[[Body], Answer]
"""Returns the answer to a request's body: status, headers and payload."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came. headers: by name in lower case. body: decoded, empty for a GET."""

    path: str
    headers: dict[str, str]
    body: Body
    query: dict[str, str] = field(default_factory=dict)


def count_tokens(text: str) -> int:
    """Return how many tokens the simulated tokenizer makes of a text: one for each word and each
    other character that is not white space."""
    return len(re.findall(r"\w+|\S", text))


def find_answer(prompt: str) -> str:
    """Return the right answer to a line retrieval or passkey prompt, or `none` if there is none."""
    if asked := re.search(r"Go to line (\d+)", prompt):
        match = re.search(rf"^line {asked[1]}: \D*(\d+)", prompt, re.MULTILINE)
    else:
        match = re.search(r"pass key is (\d+)", prompt)
    return match[1] if match else "none"


def prompt_of(body: Body) -> str:
    return "\n".join(text_of(message["content"]) for message in body["messages"])


def text_of(content: str | list[dict[str, Any]]) -> str:
    """Return the text of a message's content: of its text blocks, documents and tool results."""
    if isinstance(content, str):
        return content
    return "".join(_text_of_block(block) for block in content)


def _text_of_block(block: dict[str, Any]) -> str:
    match block["type"]:
        case "document":
            return str(block["source"]["data"])
        case "tool_result":
            return text_of(block["content"])
        case "tool_use":
            return json.dumps(block["input"])
        case _:
            return str(block["text"])


def message(text: str, body: Body | None = None, **changed: Any) -> bytes:
    """Return a Messages API answer with this text. changed: top-level fields that replace the usual ones."""
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
    """Return the right answer: the default script."""
    return 200, {}, message(find_answer(prompt_of(body)), body)


def saying(text: str, **changed: Any) -> Script:
    """Return a script that always answers with this text."""
    return lambda body: (200, {}, message(text, body, **changed))


def counting(body: Body) -> Answer:
    """Return the answer of count_tokens."""
    return 200, {}, json.dumps({"input_tokens": count_tokens(prompt_of(body))}).encode()


def giving(payload: bytes, **headers: str) -> Script:
    """Return a script that always answers 200 with this payload."""
    return lambda body: (200, headers, payload)


def failing(status: int, sentence: str = "simulated failure", **headers: str) -> Script:
    """Return a script that answers every request with an API error."""
    error = {"type": "error", "error": {"type": "simulated_error", "message": sentence}}
    return lambda body: (status, headers, json.dumps(error).encode())


class _Served:
    """A server on a free port of 127.0.0.1, at `url`, which runs while its context is entered."""

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
    """A simulated Messages API server, which keeps the requests that it receives.

    script, counting, telling: the answers to Messages, to count_tokens and to GET /v1/models/{id}; a test may change
    them at any time. hold_after, held: Messages requests beyond this number, and requests whose path begins with one of
    these, get no answer before `release` is set. zipped: answers are compressed. window: the max_input_tokens that
    GET /v1/models/{id} states; if None, it answers 404.
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
        """The bodies of the Messages requests, in the order in which they came."""
        return [request.body for request in self.received if request.path == "/v1/messages"]

    def wait_for(self, number: int, path: str = "/v1/messages") -> None:
        """Return once so many requests to a path have come."""

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
        if request.path == "/v1/chat/completions":
            return _as_chat(self._answer_message(request.body, place))
        if request.path.startswith("/v1/models/"):
            return self.telling({"id": request.path.rpartition("/")[2]})
        return self.answer_other(request)

    def answer_other(self, request: Received) -> Answer:
        """Return the answer to a request to any other path; a subclass may serve more paths."""
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


def _as_chat(answer: Answer) -> Answer:
    """Return the answer of the Messages API in the form of OpenAI's chat completions."""
    status, headers, content = answer
    if status != 200:
        return answer
    said = json.loads(content)
    used = said["usage"]["input_tokens"], said["usage"]["output_tokens"]
    others = {name: value for name, value in said["usage"].items() if name not in ("input_tokens", "output_tokens")}
    usage = {**others, "prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": sum(used)}
    reply = {"role": "assistant", "content": said["content"][0]["text"]}
    choice = {"index": 0, "message": reply, "finish_reason": "stop"}
    chat = {"id": "chat_simulated", "object": "chat.completion", "created": 1, "model": said["model"]}
    return 200, headers, json.dumps(chat | {"choices": [choice], "usage": usage}).encode()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: in some tests the client goes away."""


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
            usual = {"content-type": "application/json", "content-length": str(len(payload))}
            for name, value in {**usual, **extra}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing: `received` holds the requests."""

    return Handler


class ForwardProxy(_Served):
    """A proxy for plain HTTP. passed: the request lines that it received."""

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
            """Log nothing: `passed` holds the requests."""

    return Handler


class Saying(SimulatedServer):
    """A server that says what it is, as vLLM and llama-server do."""

    said: Mapping[str, object] = MappingProxyType({"/version": {"version": "0.29.0"}})

    def answer_other(self, request: Received) -> Answer:
        if request.path in self.said:
            return 200, {}, json.dumps(self.said[request.path]).encode()
        return super().answer_other(request)
