"""The way to the network: proxies, certificates and keep-alive, as the environment says."""

from __future__ import annotations

import anthropic
import httpx2

from longctx.errors import UserError


class Network(httpx2.AsyncBaseTransport):
    """Sends requests through an HTTP client of its own, with at most `in_flight` at once.

    A client, unlike a bare transport, honours HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE. It is
    the SDK's, which keeps long answers' connections alive. Raises UserError for a proxy that cannot be used.
    """

    def __init__(self, in_flight: int) -> None:
        limits = httpx2.Limits(max_connections=in_flight + 2, max_keepalive_connections=in_flight + 2)
        try:
            self._client = anthropic.DefaultAsyncHttpxClient(limits=limits, follow_redirects=False)
        except (ImportError, ValueError, httpx2.InvalidURL) as error:
            raise UserError(
                f"The proxy of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY cannot be used: {error} "
                "Write it like http://proxy.example:3128."
            ) from None
        except OSError as error:
            raise UserError(f"The certificates of SSL_CERT_FILE or SSL_CERT_DIR cannot be read: {error}.") from None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self._client.send(request, stream=True)

    async def aclose(self) -> None:
        await self._client.aclose()
