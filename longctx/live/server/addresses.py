"""The addresses of servers: which are the same, and to which this run may send a key."""

from __future__ import annotations

import ipaddress
import re

import httpx2

from longctx.config.models import ANTHROPIC, VENDORS
from longctx.errors import UserError
from longctx.own_environment import variable
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
    if any(same_server(base_url, other) for other in (typed, variable(vendor.address), vendor.server) if other):
        return
    listed = variable(TRUSTED_HOSTS).lower().split(",")
    if {url.host, f"{url.host}:{_port(url)}"} & {host.strip() for host in listed}:
        return
    if provider == "anthropic" and is_loopback(url.host) and not any(map(variable, CREDENTIALS)):
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
