"""A simulated server of govinfo.gov."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.corpus.examples import ISSUE

CONTENT = ISSUE.encode()
DAY = "2023-07-13"


class Govinfo(ThreadingHTTPServer):
    """Answers as its attributes say, and keeps the paths and Range headers of its requests."""

    content = CONTENT
    status = 200
    cut_after: int | None = None
    etag: str | None = '"v1"'
    knows_ranges = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges: list[str | None] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Govinfo

    def do_GET(self) -> None:
        server, asked = self.server, self.headers.get("Range")
        server.ranges.append(asked)
        server.paths.append(self.path)
        if server.status != 200:
            self.send_error(server.status)
            return
        fresh = self.headers.get("If-Range") in (None, server.etag)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and fresh and server.knows_ranges else 0
        if start > len(server.content):
            self.send_error(416)
            return
        body = server.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        if server.etag:
            self.send_header("ETag", server.etag)
        self.end_headers()
        self.wfile.write(body[: server.cut_after])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Govinfo]:
    with Govinfo() as govinfo:
        thread = threading.Thread(target=govinfo.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield govinfo
        govinfo.shutdown()
        thread.join()
