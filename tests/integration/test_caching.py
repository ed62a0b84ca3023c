"""[caching] in a model profile: what prompts share is marked, read and reported; the recordings are the same."""

from __future__ import annotations

from tests.integration.conftest import PASSKEY, Checkout
from tests.prefix_cache import PrefixCache
from tests.servers import SimulatedServer

PRICES = """
[prices]
input = 100
output = 0
cache_read = 10
cache_write = 125
dated = 2026-01-01
"""
CACHING = "\n[caching]\nmin_tokens = 100\n"


def test_what_is_shared_is_read_from_the_cache(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(PASSKEY.replace("256", "2048").replace("trials = 2", "trials = 5"))
    checkout.file("fixtures/models/toy.toml").write_text(PRICES + CACHING)
    server.script = PrefixCache(100).script
    result = checkout.record(server)
    assert result.says("with the prompt cache). Tokens counted by the server.", "Asked 10 of 10 trials")
    assert sum("cache_control" in str(body) for body in server.asked) >= 5
    read, written, whole = (
        sum(row[f"{name}_tokens"] for row in checkout.rows()) for name in ("cached", "cache_write", "input")
    )
    assert result.says(f"({read / whole:.0%} cached, {written / whole:.0%} written to the cache)")
    assert read > 0.15 * whole
    checkout.file("fixtures/models/toy.toml").write_text(
        checkout.file("fixtures/models/toy.toml").read_text().replace(CACHING, "")
    )
    assert checkout.pytest().says("10 replayed")


def test_a_mistake_in_it_is_named(checkout: Checkout) -> None:
    checkout.file("fixtures/models/toy.toml").write_text('[caching]\nttl = "10m"\n')
    assert checkout.pytest().says("toml", "ttl")
