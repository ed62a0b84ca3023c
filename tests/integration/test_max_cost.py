"""--ctx-max-cost: the asking stops before the cap is crossed; what was answered is kept."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer, saying

PROFILE = "[tokens]\nline = 20\n\n[prices]\ninput = 10000\noutput = 0\ndated = 2026-01-01\n"
"""A trial of 3 lines is estimated at 160 tokens, 1.60 USD; of 5 lines at 200 tokens, 2.00 USD."""


def test_the_cap_stops_the_asking(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE)
    server.script = saying("42", usage={"input_tokens": 100, "output_tokens": 1})
    result = checkout.record(server, "--ctx-max-cost=2.70", "--ctx-in-flight=1")
    assert result.code == 1
    assert result.says("about $7.20", "asked 2 of 4 trials: the cap of $2.70 leaves no room for it")
    assert len(server.asked) == checkout.episodes() == 2
    assert [row["outcome"] for row in checkout.rows()].count("not_asked") == 2
    assert {row["error"] for row in checkout.rows()} == {None, "budget"}
    assert checkout.record(server, "--ctx-max-cost=10").code == 0
    assert len(server.asked) == checkout.episodes() == 4


def test_a_cap_too_low_for_one_question_asks_none(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE)
    result = checkout.record(server, "--ctx-max-cost=1")
    assert result.code == 1
    assert result.says("asked 0 of 4 trials: the cap of $1.00 leaves no room for it")
    assert not server.asked


def test_a_cap_needs_prices(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, "--ctx-max-cost=1")
    assert result.code == 4
    assert result.says("--ctx-max-cost needs prices, and the profile of toy gives none: add a [prices] table")
    assert not server.received
