"""benchmarks/caching.py computes its sums rightly; the numbers of the simulated caches are no result."""

from __future__ import annotations

import pytest

from benchmarks.caching import Used, by_chance, foreseen, measure, questions, table
from longctx.config.models import Caching, ModelProfile, load_model
from tests.here import HERE
from tests.prefix_cache import CHARACTERS_A_TOKEN, LastPrompt, PrefixCache
from tests.servers import SimulatedServer

HAIKU = load_model(HERE, "claude-haiku-4-5")


def test_a_server_of_one_slot_reads_more_in_the_suites_order() -> None:
    asked = questions(ModelProfile(model="toy"), budget=1500, longest=600, number=2)
    assert len(asked) == 48
    some = by_chance(asked, 48)
    assert {question.key for question in some} == {question.key for question in asked}
    assert by_chance(asked, 5) == some[:5]
    with SimulatedServer(LastPrompt().script) as server:
        chance, ordered = measure(server.url, some, asked)
    assert (chance.requests, chance.input) == (48, ordered.input)
    assert chance.written == 0
    assert ordered.written == ordered.input - ordered.read, "it does not say what it wrote, so all counts as written"
    assert ordered.read > 0.7 * ordered.input > chance.read


def test_a_cache_that_is_told_what_to_keep_reads_what_was_foreseen() -> None:
    model = ModelProfile(model="toy", prices=HAIKU.prices, caching=Caching(min_tokens=500))
    asked = questions(model, budget=1500, longest=600, number=1)
    with SimulatedServer(PrefixCache(500).script) as server:
        chance, ordered = measure(server.url, by_chance(asked, 24), asked)
    assert (chance.read, chance.written) == (0, 0)
    assert ordered.written > 0
    _, expected = foreseen(asked)
    assert ordered.read / ordered.input == pytest.approx(expected.read / expected.input, abs=0.05)
    assert ordered.input == pytest.approx(
        sum(len(question.build().user) for question in asked) / CHARACTERS_A_TOKEN, rel=0.02
    )


def test_prices_are_those_of_the_profiles() -> None:
    lines = list(table("before", Used(2, 2e6, 0, 0), "after", Used(2, 2e6, 1e6, 1e6), ["claude-haiku-4-5"]))
    assert lines[2:4] == ["| before | 2 | 2,000,000 | 0.0% |", "| after | 2 | 2,000,000 | 50.0% |"]
    assert lines[-1] == "| claude-haiku-4-5, 2026-10-24 | $1 | $0.675 | 1.48 |"


def test_a_request_is_priced_by_its_own_length() -> None:
    """The price is not that of all of them together."""
    prices = load_model(HERE, "claude-haiku-5-5").prices
    assert prices
    assert Used(10, 1e6, 0, 0).priced(prices) == pytest.approx(0.1)
    assert Used(9, 1e6, 0, 0).priced(prices) == pytest.approx(0.5)
