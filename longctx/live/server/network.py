"""The access to the network, with the environment's proxies and certificates, and keep-alive.

Every answer of a server passes through here: it is decompressed, bounded, and freed of the credentials that its request
carried. So no credential can reach a sentence, a report or a cassette, whatever repeats it.
"""

from __future__ import annotations

import http.cookiejar
import itertools
import math
import zlib
from collections.abc import AsyncIterator, Iterator

import anthropic
import httpx2

from longctx.errors import UserError
from longctx.live.server.credentials import Credentials
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis import api_at, canonical_path
from longctx.recording.request import is_messages_path
from longctx.recording.transport import ENCODING_HEADERS, MOST_BYTES, too_large

LANE = 4
"""The requests in flight of one client. Its pool scans all its connections for each request: with 64 in one client,
this took a tenth to a fifth of all processor time."""
UNLIMITED = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
"""No limit, because the concurrency limit applies before a request gets here."""
ENCODING = "gzip"
"""The only compression that is requested and read."""
STEP = 65_536
"""The most bytes that are decompressed at once."""
MOST_BYTES_OF_OTHERS = 4_000_000
"""The size from which on an answer is not read further that is neither a message nor the results of a batch."""


def no_cookies() -> http.cookiejar.CookieJar:
    """Return a jar that takes no cookie: what a server sets in one trial must not reach another."""
    return http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))


class Network(httpx2.AsyncBaseTransport):
    """A transport that sends requests through several HTTP clients in turn, one for each LANE of `in_flight`.

    Clients, unlike bare transports, honour HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE. They are the
    SDK's, which keep connections alive during long answers. An answer that is too large or cannot be decompressed
    raises MalformedAnswer while it is read. Raises UserError for a proxy that cannot be used.
    """

    def __init__(self, in_flight: int) -> None:
        try:
            certificates = httpx2.create_ssl_context()  # once, because it takes longer than everything else here
            self._lanes = [
                anthropic.DefaultAsyncHttpxClient(
                    limits=UNLIMITED, follow_redirects=False, verify=certificates, cookies=no_cookies()
                )
                for _ in range(max(1, math.ceil(in_flight / LANE)))
            ]
        except (ImportError, ValueError, httpx2.InvalidURL) as error:
            raise UserError(
                "bad-proxy",
                f"The proxy of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY cannot be used ({error}): "
                "write it like http://proxy.example:3128.",
            ) from None
        except OSError as error:
            raise UserError(
                "bad-certificates",
                f"The certificates of SSL_CERT_FILE or SSL_CERT_DIR cannot be read: {error}. Correct or unset it.",
            ) from None
        self._turns = itertools.cycle(self._lanes)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        credentials = Credentials.of(request)
        try:
            response = await next(self._turns).send(request, stream=True)
        except httpx2.TransportError as error:  # it may quote what the server sent
            raise type(error)(credentials.redacted(str(error))) from None
        headers = [
            (name, credentials.redacted(value))
            for name, value in response.headers.multi_items()
            if name not in ENCODING_HEADERS
        ]
        answer = _Answer(response, credentials.in_replies() if response.is_success else credentials)
        return httpx2.Response(response.status_code, headers=headers, stream=answer, request=request)

    async def aclose(self) -> None:
        for lane in self._lanes:
            await lane.aclose()


class _Answer(httpx2.AsyncByteStream):
    """The body of an answer, decompressed, with the credentials redacted."""

    def __init__(self, response: httpx2.Response, credentials: Credentials) -> None:
        self._response, self._credentials = response, credentials

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body; the results of a batch in pieces, anything else at once. Raises MalformedAnswer."""
        most = _most_bytes(self._response)
        parts = self._decompressed(most)
        if most is not None:
            yield self._credentials.redacted_bytes(b"".join([part async for part in parts]))
            return
        held, overlap = b"", max(0, self._credentials.longest - 1)
        broken: Exception | None = None
        try:
            async for part in parts:
                held = self._credentials.redacted_bytes(held + part)
                ready = max(0, len(held) - overlap)  # the rest may be the beginning of a credential
                yield held[:ready]
                held = held[ready:]
        except (MalformedAnswer, httpx2.TransportError) as error:
            broken = error
        yield held
        if broken is not None:
            raise broken

    async def _decompressed(self, most: int | None) -> AsyncIterator[bytes]:
        """Yield the body in pieces of at most STEP bytes. Raises MalformedAnswer beyond `most` bytes."""
        encoding = self._response.headers.get("content-encoding", "").lower()
        if encoding not in ("", "identity", ENCODING):
            shown = self._credentials.redacted(encoding)[:80]
            raise MalformedAnswer(f"the server's answer is compressed as {shown!r}, though {ENCODING} was requested")
        received = size = 0
        beginning = b""
        unzip = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding == ENCODING else None
        try:
            async for raw in self._body():
                received += len(raw)
                for part in _unzipped(unzip, raw):
                    size += len(part)
                    beginning = beginning or part
                    if most is not None and max(received, size) > most:
                        raise too_large(most, self._credentials.redacted_bytes(beginning))
                    yield part
        except zlib.error as error:
            raise MalformedAnswer(f"the server's answer cannot be decompressed ({error})") from None
        except httpx2.TransportError as error:
            raise type(error)(self._credentials.redacted(str(error))) from None

    async def _body(self) -> AsyncIterator[bytes]:
        """Yield the body as it was sent. Bytes beyond its end close the connection: they would answer what follows."""
        stream = self._response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)
        async for raw in stream:
            yield raw
        if _beyond(stream):
            await self._response.extensions["network_stream"].aclose()

    async def aclose(self) -> None:
        await self._response.aclose()


def _beyond(stream: httpx2.AsyncByteStream) -> bytes:
    """Return what has arrived on a connection after the end of a body.

    Nothing public leads to it: the HTTP client takes it for the answer to the next request.
    """
    found: object = stream
    for name in ("_stream", "_httpcore_stream", "_stream", "_connection", "_h11_state"):
        found = getattr(found, name, None)
    received: tuple[bytes, bool] = getattr(found, "trailing_data", (b"", False))
    return received[0]


def _unzipped(unzip: zlib._Decompress | None, raw: bytes) -> Iterator[bytes]:
    """Yield what a decompressor makes of some bytes, piece by piece. Data after its end is ignored."""
    if unzip is None:
        yield raw
        return
    while raw and not unzip.eof:
        yield unzip.decompress(raw, STEP)
        raw = unzip.unconsumed_tail
    yield b""  # so that every piece received is counted


def _most_bytes(response: httpx2.Response) -> int | None:
    """Return the most bytes of an answer; None for the results of a batch, which are read line by line."""
    path = response.request.url.path
    if path.endswith("/results") and response.is_success:
        return None
    api = api_at(path)
    asks = is_messages_path(path) or (api is not None and canonical_path(path) == api.PATH)
    return MOST_BYTES if asks else MOST_BYTES_OF_OTHERS
