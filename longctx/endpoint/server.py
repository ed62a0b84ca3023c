"""The server of the endpoint: a thread for each connection, which holds one request."""

from __future__ import annotations

import contextlib
import functools
import socket
import socketserver
import threading
from typing import Any, Protocol

from longctx.endpoint.http import BadRequest, ClosedEarly, Head, Reply, check_size, read_body, read_head

HOST = "127.0.0.1"
MOST_CONNECTIONS = 256
"""How many connections are served at the same time; others wait."""
SILENCE_S = 30
"""Seconds after which a client that sends or takes nothing is left."""
LINGER_S = 2
MOST_UNREAD = 128_000_000
"""The most bytes that are taken of a body that is not read: a client that writes it sees the reply only then."""
THREAD = "longctx-endpoint"
"""How the threads of the server are called."""


class Application(Protocol):
    """What answers the requests."""

    def refusal(self, head: Head, port: int) -> Reply | None:
        """Return why a request is refused before its body is read; None if it is not. port: the client's."""

    def unreadable(self, head: Head, why: BadRequest) -> None:
        """Note that a request that is not refused cannot be read."""

    def answer(self, head: Head, content: bytes) -> Reply:
        """Return the reply to a request."""

    def sent(self, head: Head) -> None:
        """Note that a reply was sent."""


class LocalServer(socketserver.ThreadingTCPServer):
    """Listens on a free port of this machine, from its making until this process ends."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, application: Application) -> None:
        super().__init__((HOST, 0), functools.partial(_Connection, application))
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        threading.Thread(target=self.serve_forever, name=THREAD, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        self._free.acquire()
        serve = functools.partial(self._serve, request, client_address)
        threading.Thread(target=serve, name=THREAD, daemon=True).start()

    def _serve(self, request: Any, client_address: Any) -> None:
        try:
            self.process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that close their connection."""


class _Connection(socketserver.StreamRequestHandler):
    timeout = SILENCE_S
    disable_nagle_algorithm = True

    def __init__(self, application: Application, *given: Any) -> None:
        self._application = application
        super().__init__(*given)

    def handle(self) -> None:
        head: Head | None = None
        try:
            head = read_head(self.rfile)
            if head is None:
                return
            if refusal := self._application.refusal(head, self.client_address[1]):
                self._send(head, refusal, unread=True)
                return
            check_size(head)
            if head.awaits_permission:
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            content = read_body(self.rfile, head)
        except BadRequest as why:
            if head is not None:
                self._application.unreadable(head, why)
            self._send(head, Reply.error(why.status, str(why)), unread=True)
        except (ClosedEarly, OSError):
            return
        else:
            self._send(head, self._application.answer(head, content))
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_WR)
            self._application.sent(head)

    def _send(self, head: Head | None, reply: Reply, unread: bool = False) -> None:
        """Send a reply. unread: whether the client may still be writing its request."""
        with contextlib.suppress(OSError):
            self.wfile.write(reply.sent(head.method if head else "GET"))
            if unread:
                self.connection.shutdown(socket.SHUT_WR)
                self.connection.settimeout(LINGER_S)
                left = MOST_UNREAD
                while left > 0 and (taken := self.connection.recv(65_536)):
                    left -= len(taken)
