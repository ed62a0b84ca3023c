"""--ctx-base-url: which server is asked, and with what key."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer


def test_a_server_of_ones_own_needs_no_key(checkout: Checkout, server: SimulatedServer) -> None:
    assert checkout.record(server).code == 0
    assert "none-needed" in server.received[-1].headers["authorization"]


def test_a_key_of_the_environment_is_sent_and_never_kept(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.pytest(
        f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-seed=7", env={"ANTHROPIC_API_KEY": "sk-secret"}
    )
    assert any("sk-secret" in value for value in server.received[-1].headers.values())
    kept = [path for path in checkout.folder.rglob("*") if path.is_file() and b"sk-secret" in path.read_bytes()]
    assert not kept


def test_where_it_was_asked_does_not_matter_to_a_replay(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server)
    assert server.url.encode() not in b"".join(checkout.cassettes().values())
    assert checkout.pytest("--ctx-base-url=http://elsewhere.test").code == 0
