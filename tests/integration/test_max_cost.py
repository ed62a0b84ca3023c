"""--ctx-max-cost: the asking stops before the cap is crossed; what was answered is kept."""

from __future__ import annotations

import pytest

from tests.integration.conftest import LINES, TOY, Checkout
from tests.servers import SimulatedServer, saying

PROFILE = "[tokens]\nline = 20\n\n[prices]\ninput = 10000\noutput = 0\ndated = 2026-01-01\n"
"""Four trials are counted at 248 tokens by the server, 2.48 USD."""


def test_the_cap_stops_the_asking(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE)
    result = checkout.record(server, "--ctx-max-cost=1.50", "--ctx-concurrency=1")
    assert result.code == 1
    assert result.says("about $2.48", "Asked 2 of 4 trials: the cap of $1.50 leaves no room for it")
    assert len(server.asked) == checkout.episodes() == 2
    assert [row["outcome"] for row in checkout.rows()].count("not_asked") == 2
    assert {row["error"] for row in checkout.rows()} == {None, "budget"}
    assert checkout.record(server, "--ctx-max-cost=10").code == 0
    assert len(server.asked) == checkout.episodes() == 4


def test_the_cap_counts_cached_tokens_as_a_vendor_names_them(checkout: Checkout, server: SimulatedServer) -> None:
    """DeepSeek's names: 100 of 100 tokens were read from the cache. An unknown name is said once."""
    cached = PROFILE.replace("output = 0", "output = 0\ncache_read = 0")
    checkout.file("fixtures/models/toy.toml").write_text(f'api = "openai-chat"\n{cached}')
    counts = {"input_tokens": 100, "output_tokens": 2, "prompt_cache_hit_tokens": 100, "prompt_cache_miss_tokens": 0}
    server.script = saying("13", usage={**counts, "details": {"warm_cache_units": 3}})
    result = checkout.record(server, "-n2", "--ctx-max-cost=2.60", "--ctx-concurrency=1")
    assert (result.code, checkout.episodes()) == (0, 4)
    assert result.says("4 answers cost $0.00")
    assert (result.out + result.err).count("details.warm_cache_units") == 1
    assert [row["cached_tokens"] for row in checkout.rows()] == [100] * 4


def test_a_prompt_near_a_dearer_tier_is_set_aside_at_its_price(checkout: Checkout, server: SimulatedServer) -> None:
    """Two of four trials are counted at 54 tokens, two at 70, so that these may take 77."""
    tier = "[[prices.above]]\ntokens = {}\ninput = 100000\noutput = 0\n"
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE + tier.format(76))
    result = checkout.record(server, "--ctx-max-cost=5", "--ctx-concurrency=1")
    assert result.says("about $2.48", "Asked 2 of 4 trials: the cap of $5.00 leaves no room for it")
    assert len(server.asked) == 2
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE + tier.format(77))
    assert checkout.record(server, "--ctx-max-cost=5").code == 0
    assert len(server.asked) == 4


def test_a_cap_too_low_for_one_question_asks_none(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE)
    result = checkout.record(server, "--ctx-max-cost=0.10")
    assert result.code == 1
    assert result.says("Asked 0 of 4 trials: the cap of $0.10 leaves no room for it")
    assert not server.asked


def test_a_cap_needs_prices(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, "--ctx-max-cost=1")
    assert result.code == 4
    assert result.says("toy", "[max-cost-without-prices]")
    assert not server.received


def test_a_gate_knows_what_the_cap_stopped(checkout: Checkout, server: SimulatedServer) -> None:
    """Trials that were not asked are not wrong: the verdict is invalid."""
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE)
    assert checkout.record(server).code == 0
    checkout.longctx("baseline", "save", "before")
    checkout.file("fixtures/prompts/protocol/line_retrieval/instruction.txt").open("a").write(" Be brief.")
    result = checkout.record(server, "--ctx-max-cost=1.50", "--ctx-baseline=before", mode="new_episodes")
    assert result.code == 12
    assert result.says("invalid", "leaves no room for it")
    assert {row["outcome"] for row in checkout.rows() if row["error"]} == {"not_asked"}


FUNCTIONS = """
import pytest


@pytest.mark.longctx(trials=2)
def test_tone(ask, judge):
    assert judge(ask("Say please.").text).text


@pytest.mark.longctx(trials=2)
def test_helper(ask):
    helper = ask.client(model="helper")
    assert ask("Say please.").text
    helper.messages.create(model="any", max_tokens=9, messages=[{"role": "user", "content": "Is it polite?"}])
"""


@pytest.mark.parametrize(
    ("name", "profile", "given", "code"),
    [
        ("referee", TOY + 'judge = "referee"\n' + LINES, ("-k", "not helper"), 4),
        ("helper", TOY, ("tests_longctx/test_functions.py", "-k", "helper"), 1),
    ],
)
def test_a_judge_or_a_helper_without_prices_is_named_before_anything_is_paid(
    checkout: Checkout, server: SimulatedServer, name: str, profile: str, given: tuple[str, ...], code: int
) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE)
    checkout.profile(profile)
    checkout.functions(FUNCTIONS)
    result = checkout.record(server, "--ctx-max-cost=10", *given)
    assert result.code == code, result
    assert result.says(f"the profile of {name} has none", "[max-cost-without-prices]")
    assert not server.received


def test_test_functions_have_the_default_cap(checkout: Checkout, server: SimulatedServer) -> None:
    """A million input tokens cost $10,000: two trials of two requests are far above $5."""
    checkout.file("fixtures/models/toy.toml").write_text(PROFILE)
    checkout.file("fixtures/models/helper.toml").write_text(PROFILE)
    checkout.profile(TOY)
    checkout.functions(FUNCTIONS.replace("Say please.", "Say please. " * 200))
    result = checkout.record(server, "tests_longctx/test_functions.py", "-k", "helper")
    assert result.code == 4, result
    assert result.says("more than the default cap of $5.00", "[over-default-cap]")
    assert not server.asked
