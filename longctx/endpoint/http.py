"""Requests as they come over a connection, and replies: bytes in, bytes out, each within bounds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from http.client import responses
from io import BufferedIOBase

MOST_LINE = 16_384
"""The most bytes of a line before the body."""
MOST_HEADERS = 128
MOST_BODY = 32_000_000
"""The most bytes of a body, as large as an API takes one."""
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
DIGITS = re.compile(r"[0-9]{1,15}")
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
OF_CONNECTION = frozenset(("connection", "content-length", "keep-alive", "transfer-encoding"))
"""The headers of a reply that its connection decides."""


class BadRequest(Exception):
    """What came is no request that can be answered; the sentence says why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class ClosedEarly(Exception):
    """The client closed the connection in the middle of a request."""


@dataclass(frozen=True, slots=True)
class Head:
    """A request without its body."""

    method: str
    target: str
    """The path and the query; with another server, if the client takes this one for its proxy."""
    version: str
    headers: tuple[tuple[str, str], ...]
    """Names as they came, and values."""

    def values(self, name: str) -> list[str]:
        """Return the values of a header. name: in lower case."""
        return [value for given, value in self.headers if given.lower() == name]

    @property
    def awaits_permission(self) -> bool:
        """Whether the client sends its body only after a reply `100 Continue`."""
        return self.version == "HTTP/1.1" and "100-continue" in map(str.lower, self.values("expect"))


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = field(default=(("content-type", "application/json"),))

    @classmethod
    def error(cls, status: int, sentence: str) -> Reply:
        """Return an error in the form of all vendors, which their SDKs do not send again."""
        error = {"type": "longctx", "code": "longctx", "message": f"longctx: {sentence}", "param": None}
        body = json.dumps({"type": "error", "error": error}).encode()
        return cls(status, body, (("content-type", "application/json"), ("x-should-retry", "false")))

    def sent(self, method: str) -> bytes:
        """Return the bytes of the reply to a request of this method, after which the connection ends.

        A pool of clients would keep it for the event loop of another trial.
        """
        phrase = responses.get(self.status, "")
        lines = [f"HTTP/1.1 {self.status} {phrase}"]
        lines += [f"{name}: {value}" for name, value in self.headers if name.lower() not in OF_CONNECTION]
        lines += [f"content-length: {len(self.body)}", "connection: close", "", ""]
        return "\r\n".join(lines).encode("latin-1", "replace") + (b"" if method == "HEAD" else self.body)


def read_head(stream: BufferedIOBase) -> Head | None:
    """Read a request up to its body; return None if the client sends none. Raises BadRequest and ClosedEarly."""
    first = _line(stream)
    if not first:
        return None
    try:
        method, target, version = first.decode("ascii").split(" ")
    except ValueError:
        raise BadRequest(400, "the first line is not that of an HTTP request.") from None
    if not TOKEN.fullmatch(method) or version not in ("HTTP/1.0", "HTTP/1.1") or not target.isprintable():
        raise BadRequest(400, "the first line is not that of an HTTP request of version 1.0 or 1.1.")
    return Head(method, target, version, tuple(_headers(stream)))


def _headers(stream: BufferedIOBase) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    while line := _line(stream):
        name, colon, value = line.decode("latin-1").partition(":")
        if not colon or not TOKEN.fullmatch(name):
            raise BadRequest(400, "a header of the request has no name, or is in several lines.")
        found.append((name, value.strip(" \t")))
        if len(found) > MOST_HEADERS:
            raise BadRequest(431, f"the request has more than {MOST_HEADERS} headers.")
    return found


def _line(stream: BufferedIOBase) -> bytes:
    """Return the next line without its end; empty at the end of the stream, too, if nothing was read."""
    line = stream.readline(MOST_LINE + 1)
    if len(line) > MOST_LINE:
        raise BadRequest(431, f"a line of the request is longer than {MOST_LINE:,} bytes.")
    if line and not line.endswith(b"\n"):
        raise ClosedEarly
    return line.rstrip(b"\r\n")


def check_size(head: Head) -> None:
    """Raise BadRequest if a request states a body that is too large, or states its length in two ways."""
    _stated_length(head)


def _stated_length(head: Head) -> int | None:
    """Return the length of a body; None for one in chunks."""
    lengths, encodings = set(head.values("content-length")), head.values("transfer-encoding")
    if encodings:
        if lengths or [encoding.lower() for encoding in encodings] != ["chunked"]:
            raise BadRequest(400, "the length of the request's body is not clear.")
        return None
    if not lengths:
        return 0
    if len(lengths) > 1 or not DIGITS.fullmatch(stated := lengths.pop()):
        raise BadRequest(400, "the length of the request's body is not clear.")
    if int(stated) > MOST_BODY:
        raise _too_large()
    return int(stated)


def read_body(stream: BufferedIOBase, head: Head) -> bytes:
    """Read the body of a request. Raises BadRequest and ClosedEarly."""
    length = _stated_length(head)
    return _exactly(stream, length) if length is not None else b"".join(_chunks(stream))


def _chunks(stream: BufferedIOBase) -> list[bytes]:
    parts: list[bytes] = []
    total = 0
    while True:
        line = stream.readline(MOST_LINE + 1)
        if not line:
            raise ClosedEarly
        if (matched := CHUNK_SIZE.fullmatch(line)) is None:
            raise BadRequest(400, "a chunk of the request's body has no size.")
        size = int(matched[1], 16)
        if not size:
            _headers(stream)
            return parts
        total += size
        if total > MOST_BODY:
            raise _too_large()
        parts.append(_exactly(stream, size))
        if _line(stream):
            raise BadRequest(400, "a chunk of the request's body is longer than it states.")


def _exactly(stream: BufferedIOBase, size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise ClosedEarly
    return content


def _too_large() -> BadRequest:
    return BadRequest(413, f"the body of the request is larger than {MOST_BODY // 1_000_000} MB, which no API takes.")
