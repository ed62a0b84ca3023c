"""The access to the network, with the environment's proxies and certificates, and keep-alive."""

from __future__ import annotations

import itertools
import math

import anthropic
import httpx2

from longctx.errors import UserError

LANE = 4
"""The requests in flight of one client. Its pool scans all its connections for each request: with 64 in one client,
this took a tenth to a fifth of all processor time."""
UNLIMITED = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
"""No limit, because the concurrency limit applies before a request gets here."""


class Network(httpx2.AsyncBaseTransport):
    """A transport that sends requests through several HTTP clients in turn, one for each LANE of `in_flight`.

    Clients, unlike bare transports, honour HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE. They are the
    SDK's, which keep connections alive during long answers. Raises UserError for a proxy that cannot be used.
    """

    def __init__(self, in_flight: int) -> None:
        try:
            certificates = httpx2.create_ssl_context()  # once, because it takes longer than everything else here
            self._lanes = [
                anthropic.DefaultAsyncHttpxClient(limits=UNLIMITED, follow_redirects=False, verify=certificates)
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
        return await next(self._turns).send(request, stream=True)

    async def aclose(self) -> None:
        for lane in self._lanes:
            await lane.aclose()
