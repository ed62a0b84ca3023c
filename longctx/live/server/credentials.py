"""Credentials: whether this run may send a key to an address, and which parts of a request must never be shown."""

from __future__ import annotations

import base64
import contextlib
import ipaddress
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote

import httpx2

from longctx.config.models import ANTHROPIC, VENDORS
from longctx.errors import UserError
from longctx.redaction import REDACTED, SECRET, longest_first, spellings, values
from longctx.text import visible

TRUSTED_HOSTS = "LONGCTX_TRUSTED_HOSTS"
"""The environment variable that lists hosts, or hosts with ports, which files of a project may name as the server."""
CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS")
"""The environment variables that a client of the Messages API sends to any server."""


def parsed(base_url: str) -> httpx2.URL:
    """Return the address of a server. Raises UserError."""
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise UserError(
            "bad-base-url", f"The base URL {base_url!r} is not a URL ({error}): write it like http://127.0.0.1:8080."
        ) from None
    if url.scheme not in ("http", "https") or not url.host:
        raise UserError(
            "bad-base-url",
            f"The base URL {base_url!r} is not the URL of a server: write it like http://127.0.0.1:8080.",
        )
    return url


def without_path_of_api(base_url: str) -> str:
    """Return the address of a server without what clients add to it, such as `/v1` or `/v1/messages` at its end."""
    return re.sub(r"/v1(/messages|/chat/completions|/responses)?/*$", "", base_url)


def without_userinfo(base_url: str) -> str:
    """Return the address without a user's name and password. Raises UserError."""
    url = parsed(base_url)
    return str(url.copy_with(userinfo=b"")) if url.userinfo else base_url


def check_key_may_be_sent(base_url: str, found_in: str, typed: str | None = None, provider: str = "anthropic") -> None:
    """Raise UserError unless a key may be sent to an address that a file of the project names.

    It may if the person typed the same address, or if the server is the provider's own or that of ANTHROPIC_BASE_URL
    (of another vendor's own variable), or if its host is in LONGCTX_TRUSTED_HOSTS. A server on this machine may be
    asked if the environment has no key; the credentials of other providers than `anthropic` may lie elsewhere.
    found_in: the file.
    """
    url = parsed(base_url)
    vendor = VENDORS.get(provider, ANTHROPIC)
    if any(same_server(base_url, other) for other in (typed, os.environ.get(vendor.address), vendor.server) if other):
        return
    listed = os.environ.get(TRUSTED_HOSTS, "").lower().split(",")
    if {url.host, f"{url.host}:{_port(url)}"} & {host.strip() for host in listed}:
        return
    if provider == "anthropic" and is_loopback(url.host) and not any(os.environ.get(name) for name in CREDENTIALS):
        return
    raise UserError(
        "server-not-confirmed",
        f"{found_in} names the server {visible(base_url)}, and a file alone does not decide where your key is sent. If "
        f"you trust this server, add --ctx-base-url {visible(base_url)}, or set {TRUSTED_HOSTS}={visible(url.host)}.",
    )


def same_server(one: str, other: str) -> bool:
    """Return whether two addresses are of one server, whatever their paths. Raises UserError."""
    return _origin(parsed(one)) == _origin(parsed(other))


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, _port(url)


def _port(url: httpx2.URL) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


NO_HEADER = "The key contains a character that no header may have, such as a space or the end of a line."
PUBLIC = re.compile(
    r"host|accept(-encoding)?|connection|user-agent|content-(length|type|encoding)|transfer-encoding"
    r"|anthropic-(version|beta|dangerous-.*)|x-stainless-.*|x-amz-(date|content-sha256)|idempotency-key"
)
"""The headers of the SDK and of HTTP that hold no secret. All others are credentials, or were set by the user."""


SCHEMES = {"bearer", "basic", "digest", "negotiate", "token", "aws4-hmac-sha256"}


@dataclass(frozen=True, slots=True)
class Credentials:
    """What must not be repeated."""

    secret: tuple[str, ...]
    """The values of headers and of parameters of the URL with a name such as `x-api-key`, the URL's userinfo, and the
    keys in the environment."""
    own: tuple[str, ...] = ()
    """The values of the user's other headers."""

    @classmethod
    def of(cls, request: httpx2.Request) -> Self:
        """Return the credentials in a request's headers and URL."""
        secret = {unquote(part) for part in request.url.userinfo.decode("ascii", "replace").split(":", 1)}
        secret |= {value for name, value in request.url.params.multi_items() if SECRET.search(name)}
        secret |= {*values()}
        own: set[str] = set()
        for name, value in request.headers.items():
            if SECRET.search(name):
                secret |= {value, *_parts(value)}
            elif not PUBLIC.fullmatch(name):
                own.add(value)
        return cls(longest_first(secret), longest_first(own - secret))

    def in_replies(self) -> Credentials:
        """Return those to look for in the reply of a model.

        The user's other headers, such as the name of a provider, may be ordinary words, and a reply is not changed for
        these.
        """
        return Credentials(self.secret)

    @property
    def longest(self) -> int:
        """The bytes of the longest spelling of a credential; 0 if there is none."""
        return max(map(len, self._spellings()), default=0)

    def redacted(self, text: str) -> str:
        return self.redacted_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def redacted_bytes(self, body: bytes) -> bytes:
        for spelling in self._spellings():
            body = body.replace(spelling, REDACTED.encode())
        return body

    def _spellings(self) -> Iterator[bytes]:
        """Yield each credential as it may be in JSON, HTML or a URL."""
        for value in (*self.secret, *self.own):
            yield from (spelling.encode("utf-8", "surrogatepass") for spelling in spellings(value))


def _parts(value: str) -> Iterator[str]:
    """Yield the credentials inside a header such as `Bearer …` or `session=…; other=…`."""
    words = re.split(r"[\s,;]+", value)
    if words[0].lower() == "basic":
        with contextlib.suppress(ValueError):
            yield from base64.b64decode(words[-1]).decode().split(":", 1)
    for word in words:
        if word.lower() not in SCHEMES:
            yield word
            yield word.partition("=")[2].rstrip("=")
