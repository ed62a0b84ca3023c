"""The hooks that guard marked tests: what their code sends goes through longctx, or to hosts that they allow."""

from __future__ import annotations

import os
from collections.abc import Generator
from urllib.parse import SplitResult, urlsplit

import pytest

from longctx.config.vendors import sdk_at
from longctx.connections import Guard, guarded
from longctx.errors import UserError
from longctx.plugin.selection import MARKER
from longctx.plugin.session import run_of, state_of

INI = "longctx_allowed_hosts"
"""The setting of a project with the hosts that all of its tests may connect to."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _phase(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _phase(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _phase(item))


def _phase(item: pytest.Item) -> Generator[None, object, object]:
    """Guard a phase of a test, if it is marked: its fixtures, its call, or what ends its fixtures."""
    if not item.get_closest_marker(MARKER):
        return (yield)
    from longctx.functions.trial import TestMistake

    state = state_of(item)
    with guarded(_guard(item)) as guard:
        state.guard = guard
        try:
            result = yield
        except TestMistake as mistake:  # of a fixture, since trials have ended with theirs
            pytest.fail(str(mistake.error), pytrace=False)
        finally:
            state.guard = None
    if caught := guard.taken():  # by the code under test, which went on without an answer
        pytest.fail(str(caught), pytrace=False)
    return result


def _guard(item: pytest.Item) -> Guard:
    from longctx.functions.trial import TestMistake

    def refusal(host: str) -> TestMistake:
        sdk = sdk_at(host)
        client = f"ask.client({sdk!r})" if sdk else "ask.client()"
        return TestMistake(
            UserError(
                "connection-refused",
                f"{item.name}: the code under test opens a connection to {host}, and what it sends there is neither "
                f"recorded nor replayed. Give it the client {client}, or, if no model answers there, allow "
                f"the host: allowed_hosts=[{host!r}] in the test's marker, or {INI} in the settings of pytest.",
            )
        )

    cell = state_of(item).cell
    allowed = [*(cell.function.table.allowed_hosts if cell else ()), *item.config.getini(INI)]
    return Guard(allowed, _closed_ports(item.config), refusal)


def _closed_ports(config: pytest.Config) -> frozenset[int]:
    """Return the ports of the run's model servers and of the proxies, which count if they are on this machine."""
    import urllib.request

    given = run_of(config).settings.base_url, os.environ.get("ANTHROPIC_BASE_URL")
    urls = [urlsplit(url) for url in (*given, *urllib.request.getproxies().values()) if url]
    return frozenset(_port(url) for url in urls)


def _port(url: SplitResult) -> int:
    try:
        port = url.port
    except ValueError:  # which is refused where it is used
        port = None
    return port or (443 if url.scheme == "https" else 80)
