"""Prices of a model's profile: the report says what was paid, and by which."""

from __future__ import annotations

import pytest

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer, saying

USAGE = {
    "input_tokens": 100_000,
    "cache_creation_input_tokens": 200_000,
    "cache_read_input_tokens": 700_000,
    "output_tokens": 10,
}
CACHE = "cache_read = 1\ncache_write = 12.5\n"
ABOVE = "[[prices.above]]\ntokens = {}\ninput = {}\noutput = {}\n"


def test_they_price_what_is_asked_and_what_was_answered(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("42", usage=USAGE)
    checkout.prices(10, 0, more=CACHE)
    result = checkout.record(server, "--ctx-max-cost=1000")
    paid = 4 * (0.1 * 10 + 0.7 * 1 + 0.2 * 12.5)
    assert result.says(
        f"toy: 4 live answers cost ${paid:,.2f}, at prices of 2026-01-01.",
        "(70% cached, 20% written to the cache)",
    )
    run = checkout.read("reports/latest/run.json")
    given = {"input": 10, "output": 0, "cache_read": 1, "cache_write": 12.5}
    assert given.items() <= run["prices"]["toy"].items()
    assert {row["cache_write_tokens"] for row in checkout.rows()} == {200_000}
    sentence = f"toy: 4 answers replayed cost ${paid:,.2f} when recorded, at prices of 2026-01-01."
    assert checkout.pytest("-n1").says(sentence)
    assert sentence in checkout.file("reports/latest/summary.md").read_text()
    checkout.file("fixtures/models/toy.toml").unlink()
    assert "had cost" not in checkout.pytest().out


def test_the_length_of_a_prompt_settles_its_price(checkout: Checkout, server: SimulatedServer) -> None:
    """The two sides of a boundary differ, from the estimate to the row; a prompt's length includes cached tokens."""
    shorter, longer = (2 * (size * 1000 + 10 * 5000) / 1e6 for size in (145, 175))  # USD, of two trials
    for boundary, usd in ((144, 10 * (shorter + longer)), (145, shorter + 10 * longer), (175, shorter + longer)):
        checkout.prices(1000, 5000, more=ABOVE.format(boundary, 10_000, 50_000))
        assert checkout.pytest("--ctx-estimate").says(f"640 input and at most 40 output tokens, about ${usd:.2f}.")
    server.script = saying("42", usage=USAGE)
    above = ABOVE.format("{}", 1000, 10_000) + "cache_read = 100\ncache_write = 1250\n"
    for boundary, times in ((999_999, 100), (1_000_000, 1)):
        checkout.prices(10, 100, more=CACHE + above.format(boundary))
        paid = 4 * times * (0.1 * 10 + 0.7 * 1 + 0.2 * 12.5 + 10e-6 * 100)
        result = checkout.record(server, "--ctx-max-cost=10000", mode="all")
        assert result.says(f"toy: 4 live answers cost ${paid:,.2f}, at prices of ")
        assert [row["cost_usd"] for row in checkout.rows()] == pytest.approx([paid / 4] * 4)
    run = checkout.read("reports/latest/run.json")
    tier = {"tokens": 1_000_000, "input": 1000, "output": 10000, "cache_read": 100, "cache_write": 1250}
    assert run["prices"]["toy"]["above"] == [tier]
