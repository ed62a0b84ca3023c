"""The guard of a test function: what its code sends goes through longctx, or to hosts that the test allows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from longctx.config.vendors import sdk_at
from longctx.connections import INI, Guard
from longctx.errors import UserError
from longctx.functions.trial import TestMistake


def guard_of(test: str, allowed: Sequence[str], base_url: str | None) -> Guard:
    """Return the guard of a test. allowed: hosts that it may connect to. base_url: that of the run's server, if given.

    A port of this machine is closed if it leads to a server of models or to a proxy.
    """

    def refusal(host: str) -> TestMistake:
        sdk = sdk_at(host)
        client = f"ask.client({sdk!r})" if sdk else "ask.client()"
        return TestMistake(
            UserError(
                "connection-refused",
                f"{test}: the code under test opens a connection to {host}, and what it sends there is neither "
                f"recorded nor replayed. Give it the client {client}, or, if no model answers there, allow "
                f"the host: allowed_hosts=[{host!r}] in the test's marker, or {INI} in the settings of pytest.",
            )
        )

    return Guard(allowed, _closed_ports(base_url), refusal)


def _closed_ports(base_url: str | None) -> frozenset[int]:
    import urllib.request

    given = base_url, os.environ.get("ANTHROPIC_BASE_URL")
    urls = [urlsplit(url) for url in (*given, *urllib.request.getproxies().values()) if url]
    return frozenset(_port(url) for url in urls)


def _port(url: SplitResult) -> int:
    try:
        port = url.port
    except ValueError:  # which is refused where it is used
        port = None
    return port or (443 if url.scheme == "https" else 80)
