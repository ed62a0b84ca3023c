"""Requests as they come, whatever they are, and replies."""

from __future__ import annotations

import io

import pytest

from longctx.endpoint import http
from longctx.endpoint.http import BadRequest, ClosedEarly, Head, Reply, read_body, read_head


def head_of(*lines: str, ends: str = "\r\n") -> Head:
    head = read_head(io.BytesIO(ends.join([*lines, "", ""]).encode("latin-1")))
    assert head is not None
    return head


def body_of(content: bytes, *headers: tuple[str, str]) -> bytes:
    return read_body(io.BytesIO(content), Head("POST", "/", "HTTP/1.1", headers))


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_a_head(ends: str) -> None:
    head = head_of("POST /a?b=c HTTP/1.1", "Host: h:1", "X-Two:  a ", "x-two:b", ends=ends)
    assert (head.method, head.target, head.version) == ("POST", "/a?b=c", "HTTP/1.1")
    assert head.values("x-two") == ["a", "b"]
    assert not head.awaits_permission


def test_who_waits_for_permission() -> None:
    assert head_of("POST / HTTP/1.1", "Expect: 100-Continue").awaits_permission
    assert not head_of("POST / HTTP/1.0", "Expect: 100-continue").awaits_permission


def test_a_client_that_sends_nothing() -> None:
    assert read_head(io.BytesIO(b"")) is None


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x00\xff nonsense\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2\r\n\r\n", 400),
        (b"GET / HTTP/1.1 more\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET /" + b"a" * http.MOST_LINE + b" HTTP/1.1\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * (http.MOST_HEADERS + 1) + b"\r\n", 431),
    ],
)
def test_what_is_no_request(sent: bytes, status: int) -> None:
    with pytest.raises(BadRequest) as refused:
        read_head(io.BytesIO(sent))
    assert refused.value.status == status


@pytest.mark.parametrize("sent", [b"GET / HTTP", b"GET / HTTP/1.1\r\nHost: h"])
def test_a_client_that_closes_in_the_middle_of_a_head(sent: bytes) -> None:
    with pytest.raises(ClosedEarly):
        read_head(io.BytesIO(sent))


def test_bodies() -> None:
    assert body_of(b"abcdef", ("content-length", "4")) == b"abcd"
    assert body_of(b"abcdef", ("Content-Length", "4"), ("content-length", "4")) == b"abcd"
    assert body_of(b"abcdef") == b""
    chunked = ("Transfer-Encoding", "Chunked")
    assert body_of(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", chunked) == b"abcde"
    assert body_of(b"A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", chunked) == b"0123456789"


@pytest.mark.parametrize(
    "headers",
    [
        [("content-length", "four")],
        [("content-length", "-4")],
        [("content-length", "4, 4")],
        [("content-length", "4"), ("content-length", "5")],
        [("content-length", "4"), ("transfer-encoding", "chunked")],
        [("transfer-encoding", "gzip, chunked")],
        [("transfer-encoding", "chunked"), ("transfer-encoding", "chunked")],
    ],
)
def test_lengths_that_are_not_clear(headers: list[tuple[str, str]]) -> None:
    with pytest.raises(BadRequest) as refused:
        body_of(b"0\r\n\r\n", *headers)
    assert refused.value.status == 400


@pytest.mark.parametrize("chunks", [b"x\r\n", b"-1\r\n", b"123456789\r\n", b"2\r\nabc\r\n0\r\n\r\n"])
def test_chunks_that_are_none(chunks: bytes) -> None:
    with pytest.raises(BadRequest) as refused:
        body_of(chunks, ("transfer-encoding", "chunked"))
    assert refused.value.status == 400


@pytest.mark.parametrize("content", [b"", b"5\r\nab", b"2\r\nab\r\n"])
def test_a_client_that_closes_in_the_middle_of_chunks(content: bytes) -> None:
    with pytest.raises(ClosedEarly):
        body_of(content, ("transfer-encoding", "chunked"))


def test_a_client_that_closes_in_the_middle_of_a_body() -> None:
    with pytest.raises(ClosedEarly):
        body_of(b"ab", ("content-length", "3"))


def test_a_body_that_is_too_large_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadRequest, match="larger than 32 MB") as refused:
        body_of(b"", ("content-length", "40000000"))
    assert refused.value.status == 413
    monkeypatch.setattr(http, "MOST_BODY", 5)
    with pytest.raises(BadRequest) as refused:
        body_of(b"3\r\nabc\r\n3\r\n", ("transfer-encoding", "chunked"))
    assert refused.value.status == 413


def test_a_reply_ends_its_connection() -> None:
    sent = Reply(200, b"{}", (("content-type", "a/b"), ("Content-Length", "7"), ("x-own", "1"))).sent("POST")
    assert (
        sent == b"HTTP/1.1 200 OK\r\ncontent-type: a/b\r\nx-own: 1\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
    )
    assert Reply(200, b"{}").sent("HEAD").endswith(b"content-length: 2\r\nconnection: close\r\n\r\n")


def test_an_error_is_one_that_no_sdk_sends_again() -> None:
    reply = Reply.error(400, "why.")
    assert b"x-should-retry: false" in reply.sent("POST")
    assert b'"message": "longctx: why."' in reply.body
