"""Where a test function may connect to: not to the servers of models, except through longctx."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from longctx.config.models import ANTHROPIC, VENDORS, sdk_at, servers_named
from longctx.connections import INI, Guard, is_here
from longctx.functions.trial import TestMistake, mistake

if TYPE_CHECKING:
    from longctx.workspace import Workspace


def guard_of(
    test: str, allowed: Sequence[str], workspace: Workspace, base_url: str | None, endpoint: bool = False
) -> Guard:
    """Return the guard of a test. allowed: hosts that it may connect to. base_url: that of the run's server, if given.

    A port of this machine is closed if it leads to a server of models or to a proxy. endpoint: whether the local
    endpoint answers.
    """

    def refusal(host: str) -> TestMistake:
        sdk = sdk_at(host)
        named = repr(sdk) if sdk else ""
        by_endpoint = "add longctx_endpoint = true to the settings of pytest, which records code that takes no client"
        if endpoint:
            by_endpoint = f"let it take its address from the SDK's variable or from ask.endpoint({named})"
        return mistake(
            "connection-refused",
            f"{test}: the code under test opens a connection to {host}, where requests are neither recorded nor "
            f"replayed. Pass it the client ask.client({named}), or {by_endpoint}. If no model answers there, allow the "
            f"host: allowed_hosts=[{host!r}] in the test's marker, or {INI} in the settings of pytest.",
        )

    servers = {base_url, *servers_named(workspace), *(vendor.server for vendor in (ANTHROPIC, *VENDORS.values()))}
    hosts = frozenset(host for url in servers if url and (host := _host(url)))
    return Guard(allowed, _closed_ports(servers), refusal, model_hosts=hosts)


def _closed_ports(servers: Set[str | None]) -> frozenset[int]:
    import urllib.request

    urls = {*servers, *urllib.request.getproxies().values()}
    return frozenset(port for url in urls if url and (port := _port(url)))


def _host(given: str) -> str | None:
    try:
        return _parts(given).hostname
    except ValueError:
        return None


def _parts(given: str) -> SplitResult:
    return urlsplit(given if "://" in given else f"http://{given}")


def _port(given: str) -> int | None:
    """Return the port of a server that a test may not reach; None for none, such as that of https on another host."""
    try:
        url = _parts(given)
        return url.port or ({"http": 80, "https": 443}.get(url.scheme) if is_here(url.hostname or "") else None)
    except ValueError:  # which is refused where it is used
        return None
