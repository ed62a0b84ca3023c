"""--ctx-concurrency: how many requests are under way at once."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer


def test_it_is_the_limit(checkout: Checkout, server: SimulatedServer) -> None:
    server.hold_after = 0
    checkout.start(f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-concurrency=3", "--ctx-trials=8")
    server.wait_for(3)
    server.release.set()
    result = checkout.wait()
    assert result.code == 0
    assert result.says("Asked 16 of 16 trials")
    assert server.most_in_flight == 3
