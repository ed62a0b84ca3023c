"""The server of the review page. It listens on this machine only, requires a token, and runs until the review ends.

The token is part of the address, which is not passed on (no referrer, no cache), and of a header in each request that
changes something, which no other page can send. A request that names another host is refused, to prevent DNS rebinding.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from longctx.errors import UserError
from longctx.report.page import page, theme
from longctx.review.service import ReviewService

HOST = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
LARGEST = 10_000_000
"""The most bytes of a request, far more than any sensible edit has."""
PATIENCE = 60
"""Seconds after which an idle connection is closed."""
PROOF = "X-Longctx-Token"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A response."""

    body: bytes
    kind: str = "application/json"
    """Its content type."""
    status: HTTPStatus = HTTPStatus.OK


class ReviewServer(ThreadingHTTPServer):
    """A server that runs until the page or `shutdown` ends it. port: 0 for any free one. Raises UserError."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, service: ReviewService, port: int = 0) -> None:
        self.service = service
        self.token = secrets.token_urlsafe(32)
        self.ending = False
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            raise UserError(
                "port-not-usable", f"Port {port} cannot be used: {error}. Give another with --port, or none."
            ) from None
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of a connection: the browser went away."""

    def answer(self, path: str, host: str, token: str | None, body: bytes | None) -> HttpAnswer:
        """HttpAnswer a request. host, token: from the headers. body: that of a POST; None for a GET."""
        if host not in self.hosts:
            return _refused(f"This server answers to {HOST}:{self.server_port} alone.")
        place, _, query = path.partition("?")
        _, given, *rest = [*place.split("/", 2), ""]
        if not self._is_token(given) or (body is not None and not self._is_token(token or "")):
            return _refused("Open the address that the terminal shows: its token is missing here.")
        try:
            return self._read(rest[0], query) if body is None else self._change(rest[0], body)
        except UserError as error:
            return _json({"error": str(error)}, HTTPStatus.CONFLICT)

    def _read(self, name: str, query: str) -> HttpAnswer:
        match name:
            case "":
                return HttpAnswer((STATIC / "page.html").read_bytes(), "text/html; charset=utf-8")
            case "page.js":
                return HttpAnswer((STATIC / "page.js").read_bytes(), "text/javascript; charset=utf-8")
            case "style.css":
                sheets = (page.HERE / "style.css", STATIC / "style.css")
                style = theme.css() + "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
                return HttpAnswer(style.encode(), "text/css; charset=utf-8")
            case "questions":
                return _json(self.service.overview())
            case "question":
                return _json(self.service.question(parse_qs(query).get("id", [""])[0]))
        return _json({"error": "There is nothing here."}, HTTPStatus.NOT_FOUND)

    def _change(self, name: str, body: bytes) -> HttpAnswer:
        if name == "end":
            self.ending = True
            return _json({})
        if name != "decide":
            return _json({"error": "There is nothing here."}, HTTPStatus.NOT_FOUND)
        try:
            asked = json.loads(body)
        except ValueError:
            asked = None
        if not isinstance(asked, dict):
            return _json({"error": "This is no decision."}, HTTPStatus.BAD_REQUEST)
        return _json(self.service.decide(asked))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ReviewServer
    timeout = PATIENCE

    def do_GET(self) -> None:
        self._send(self._answer(None))

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > LARGEST:
            self._send(_json({"error": "This is too long."}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE))
        else:
            self._send(self._answer(self.rfile.read(int(length))))
        if self.server.ending:  # only after the page has its answer
            threading.Thread(target=self.server.shutdown).start()

    def version_string(self) -> str:
        return "longctx"

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal shows what a person must know."""

    def _answer(self, body: bytes | None) -> HttpAnswer:
        headers = self.headers
        return self.server.answer(self.path, headers.get("host", ""), headers.get(PROOF), body)

    def _send(self, answer: HttpAnswer) -> None:
        self.close_connection = self.close_connection or answer.status != HTTPStatus.OK
        self.send_response(answer.status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer.body)


def _json(content: Any, status: HTTPStatus = HTTPStatus.OK) -> HttpAnswer:
    return HttpAnswer(json.dumps(content).encode(), status=status)


def _refused(sentence: str) -> HttpAnswer:
    return HttpAnswer(sentence.encode(), "text/plain; charset=utf-8", HTTPStatus.FORBIDDEN)
