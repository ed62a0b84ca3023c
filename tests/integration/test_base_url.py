"""--ctx-base-url: which server is asked, and with what key."""

from __future__ import annotations

import pytest

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer


def test_a_server_of_ones_own_needs_no_key(checkout: Checkout, server: SimulatedServer) -> None:
    assert checkout.record(server).code == 0
    assert "none-needed" in server.received[-1].headers["authorization"]


def test_a_key_of_the_environment_is_sent_and_never_kept(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, env={"ANTHROPIC_API_KEY": "sk-secret"})
    assert any("sk-secret" in value for value in server.received[-1].headers.values())
    kept = [path for path in checkout.folder.rglob("*") if path.is_file() and b"sk-secret" in path.read_bytes()]
    assert not kept


def test_where_it_was_asked_does_not_matter_to_a_replay(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server)
    assert server.url.encode() not in b"".join(checkout.cassettes().values())
    assert checkout.pytest("--ctx-base-url=http://elsewhere.test").code == 0


KEY = {"ANTHROPIC_API_KEY": "sk-secret"}


def test_a_server_of_addopts_gets_no_key_until_it_is_confirmed(checkout: Checkout, server: SimulatedServer) -> None:
    """docs/security.md, addopts-server."""
    checkout.file("pytest.ini").write_text(f"[pytest]\naddopts = --ctx-base-url={server.url}\n")
    refused = checkout.pytest("--ctx-record=once", "-n1", env=KEY)
    assert refused.code == 4
    assert refused.says("[server-not-confirmed]", f"add --ctx-base-url {server.url}")
    assert not server.received
    assert checkout.pytest().code == 1, "a replay sends nothing, and goes on"
    host = server.url.removeprefix("http://").partition(":")[0]
    assert checkout.pytest("--ctx-record=once", env=KEY | {"LONGCTX_TRUSTED_HOSTS": host}).code == 0
    assert server.received


@pytest.mark.parametrize("spaced", [False, True])
def test_a_server_that_the_person_types_in_either_way(
    checkout: Checkout, server: SimulatedServer, spaced: bool
) -> None:
    checkout.file("pytest.ini").write_text("[pytest]\naddopts = --ctx-base-url=http://stranger.test\n")
    option = ("--ctx-base-url", server.url) if spaced else (f"--ctx-base-url={server.url}",)
    assert checkout.pytest(*option, "--rootdir=.", "--ctx-record=once", env=KEY).code == 0


def test_a_server_of_pytest_addopts_is_the_persons(checkout: Checkout, server: SimulatedServer) -> None:
    env = KEY | {"PYTEST_ADDOPTS": f"--ctx-base-url={server.url}"}
    assert checkout.pytest("--ctx-record=once", env=env).code == 0


def test_arguments_from_a_file_are_the_files(checkout: Checkout, server: SimulatedServer) -> None:
    """docs/security.md, addopts-server."""
    checkout.file("arguments").write_text(f"--ctx-base-url={server.url}\n")
    assert checkout.pytest("@arguments", "--ctx-record=once", env=KEY).says("[server-not-confirmed]")
    assert not server.received
