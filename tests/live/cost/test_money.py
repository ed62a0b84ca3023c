"""The cost of a run, and its cap."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.config.models import Caching, ModelProfile, Prices, Tier
from longctx.live.cost.money import (
    Budget,
    check_cap,
    cost,
    estimated_cost,
    highest_compaction,
    highest_cost,
    paid,
    paid_for_compaction,
    usd,
    usd_exactly,
)
from longctx.live.failure import Failure
from longctx.recording.apis.messages import Receipt, read, to_answer
from longctx.vocabulary.answer import Answer, CompactionUsage
from tests.given import dollars
from tests.refusals import refused
from tests.servers import message

PRICES = dollars(3, 15, cache_read=0.3)


PRICES_WRITING = PRICES.model_copy(update={"cache_write": 3.75})
TIERED = PRICES_WRITING.model_copy(
    update={
        "above": (
            Tier(tokens=200_000, input=6, output=22.5, cache_read=0.6, cache_write=7.5),
            Tier(tokens=1_000_000, input=10, output=30),  # whose cache costs what input costs
        )
    }
)
HAIKU = dollars(
    0.1,
    0.5,
    cache_read=0.01,
    cache_write=0.125,
    above=(Tier(tokens=100_000, input=0.5, output=2.5, cache_read=0.05, cache_write=0.625),),
)


def reply(input_tokens: int, output_tokens: int = 0, cached: int = 0, written: int = 0) -> Answer:
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    usage |= {"cache_read_input_tokens": cached, "cache_creation_input_tokens": written}
    return to_answer(read(message("", usage=usage)), Receipt(latency_s=0, live=True))


def test_cached_tokens_cost_what_reading_them_costs() -> None:
    assert cost(PRICES, 1_000_000, 1_000_000) == pytest.approx(18)
    assert cost(PRICES, 1_000_000, 0, 900_000) == pytest.approx(0.1 * 3 + 0.9 * 0.3)
    assert cost(PRICES.model_copy(update={"cache_read": None}), 1_000_000, 0, 900_000) == pytest.approx(3)


def test_tokens_written_to_the_cache_cost_what_writing_them_costs() -> None:
    answer = reply(100_000, 0, cached=600_000, written=300_000)
    assert paid(PRICES_WRITING, answer) == pytest.approx(0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75)
    assert paid(PRICES, answer) == pytest.approx(0.4 * 3 + 0.6 * 0.3)
    assert paid(None, answer) is None


def test_a_compaction_is_priced_as_a_request_of_its_own() -> None:
    compaction = CompactionUsage(90_000, 0, 0, 0, 1_000)
    answered = Answer("", "end_turn", "m", input_tokens=110_000, output_tokens=1_500, compactions=(compaction,))
    alone = cost(HAIKU, 90_000, 1_000)
    assert paid_for_compaction(HAIKU, answered) == pytest.approx(alone)
    assert paid(HAIKU, answered) == pytest.approx(alone + cost(HAIKU, 20_000, 500))
    assert paid(HAIKU, answered) < cost(HAIKU, 110_000, 1_500)  # whose prompt would be in a dearer tier
    assert paid_for_compaction(None, answered) is None


def test_the_most_that_a_request_may_cost() -> None:
    assert highest_cost(CACHED, 1_000_000, 1_000_000) == pytest.approx(3.75 + 15)
    assert highest_cost(ModelProfile(prices=PRICES_WRITING), 1_000_000, 0) == pytest.approx(3)
    assert highest_cost(ModelProfile(prices=PRICES, caching=Caching()), 1_000_000, 0) == pytest.approx(3)
    assert highest_cost(ModelProfile(), 1_000_000, 0) == 0


def test_the_length_of_the_prompt_settles_what_all_of_the_request_costs() -> None:
    """Prices are those of Claude Haiku 5.5; tokens read and written count as part of the prompt."""
    assert cost(HAIKU, 100_000, 1_000) == pytest.approx(0.0100 + 0.0005)
    assert cost(HAIKU, 100_001, 1_000) == pytest.approx(0.0500005 + 0.0025)
    assert paid(HAIKU, reply(60_000, 0, cached=40_000)) == pytest.approx(0.006 + 0.0004)
    assert paid(HAIKU, reply(60_001, 0, cached=40_000)) == pytest.approx(0.0300005 + 0.002)
    assert paid(HAIKU, reply(0, 0, cached=50_000, written=50_000)) == pytest.approx(0.0005 + 0.00625)
    assert paid(HAIKU, reply(0, 0, cached=50_000, written=50_001)) == pytest.approx(0.0025 + 0.031250625)
    model = ModelProfile(prices=HAIKU, caching=Caching())
    assert estimated_cost(model, 100_000, 0) == pytest.approx(0.01)
    assert estimated_cost(model, 100_001, 0) == pytest.approx(0.0500005)
    assert highest_cost(model, 100_000, 1_000) == pytest.approx(0.0125 + 0.0005)
    assert highest_cost(model, 100_001, 1_000) == pytest.approx(0.062500625 + 0.0025)


def test_a_prompt_that_may_turn_out_longer_may_cost_what_longer_ones_do() -> None:
    model = ModelProfile(prices=HAIKU)
    assert highest_cost(model, 91_000, 0, longest=100_000) == pytest.approx(0.0091)
    assert highest_cost(model, 91_000, 0, longest=100_001) == pytest.approx(0.0455)


prompts = st.sampled_from([0, 1, 199_999, 200_000, 200_001, 999_999, 1_000_000, 1_000_001]) | st.integers(0, 3_000_000)
"""Numbers of tokens on both sides of the boundaries and on them."""


@given(prompts, st.integers(0, 100_000), st.floats(0, 1), st.floats(0, 1))
def test_a_request_costs_the_rates_of_its_prompts_tier(prompt: int, output: int, first: float, second: float) -> None:
    """Return the cost by a table of this test's own, in whole dollars per million tokens."""
    read = int(prompt * first)
    written = int((prompt - read) * second)
    table = {0: (3.0, 0.3, 3.75, 15.0), 200_001: (6.0, 0.6, 7.5, 22.5), 1_000_001: (10.0, 10.0, 10.0, 30.0)}
    fresh_price, read_price, write_price, output_price = table[max(least for least in table if least <= prompt)]
    dollars = (prompt - read - written) * fresh_price + read * read_price + written * write_price
    dollars += output * output_price
    assert cost(TIERED, prompt, output, read, written) == pytest.approx(dollars / 1e6)
    assert paid(TIERED, reply(prompt - read - written, output, read, written)) == pytest.approx(dollars / 1e6)


def compacting(trigger: int | None) -> dict[str, Any]:
    edit: dict[str, Any] = {"type": "compact_20260112"}
    return {"context_management": {"edits": [edit if trigger is None else edit | {"trigger": {"value": trigger}}]}}


def test_a_compaction_reads_the_input_and_writes_a_summary_of_its_length_at_the_most() -> None:
    limited = ModelProfile(prices=PRICES_WRITING, max_output=64_000)
    reads = 110_000 * 3 / 1e6
    assert highest_compaction(limited, compacting(50_000), 110_000, 121_000) == pytest.approx(reads + 64_000 * 15 / 1e6)
    unlimited = ModelProfile(prices=PRICES_WRITING)
    assert highest_compaction(unlimited, compacting(50_000), 110_000, 121_000) == pytest.approx(reads + 1.65)
    assert highest_compaction(unlimited, compacting(None), 110_000, 121_000) == 0
    assert highest_compaction(unlimited, compacting(None), 140_000, 154_000) == pytest.approx(140_000 * 18 / 1e6)
    assert highest_compaction(ModelProfile(), compacting(50_000), 110_000, 121_000) == 0


@pytest.mark.parametrize(
    "managed",
    [None, 7, {}, {"edits": 7}, {"edits": [7, {"type": 7}]}, {"edits": [{"type": "clear_tool_uses_20250919"}]}],
)
def test_what_a_test_sends_in_place_of_a_compaction_costs_nothing(managed: object) -> None:
    assert highest_compaction(CACHED, {"context_management": managed}, 200_000, 220_000) == 0


@given(prompts, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_no_request_costs_more_than_the_highest_cost(
    most: int, share: float, first: float, second: float, falling: bool
) -> None:
    """This holds for any share of the prompt that is sent, read or written, and where longer prompts are cheaper."""
    prices = TIERED.model_copy(update={"input": 30, "cache_write": 37.5}) if falling else TIERED
    model = ModelProfile(prices=prices, caching=Caching())
    prompt = int(most * share)
    read = int(prompt * first)
    written = int((prompt - read) * second)
    assert cost(prices, prompt, 100, read, written) <= highest_cost(model, most, 100) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("cause", "fatal", "spent"),
    [
        ("timeout", False, 1.0),
        ("connection", False, 1.0),  # broken off after the request was sent
        ("malformed_answer", False, 1.0),
        ("connection", True, 0.0),  # there never was one
        ("rate_limit", False, 0.0),
        ("overloaded", False, 0.0),
        ("server_error", False, 0.0),
        ("refused_request", False, 0.0),
    ],
)
def test_what_may_have_been_paid_counts_as_spent(cause: str, fatal: bool, spent: float) -> None:
    budget = Budget(cap=1.0)
    assert budget.take(1.0)
    budget.settle(1.0, Failure(cause, "not answered", fatal), PRICES)
    assert (budget.spent, budget.reserved) == (spent, 0.0)
    assert budget.take(1.0) == (not spent)


def test_reading_the_cache_may_be_free() -> None:
    assert cost(PRICES.model_copy(update={"cache_read": 0.0}), 1_000_000, 0, 1_000_000) == 0


def test_an_estimate_needs_prices() -> None:
    assert estimated_cost(ModelProfile(model="toy", prices=PRICES), 1_000_000, 0) == pytest.approx(3)
    assert estimated_cost(ModelProfile(model="toy"), 1_000_000, 0) is None


CACHED = ModelProfile(model="toy", prices=PRICES_WRITING, caching=Caching())
REFUSED, LOST = Failure("rate_limit", "too many"), Failure("timeout", "no answer in time")
steps = st.lists(
    st.tuples(st.integers(0, 2_000_000), st.floats(0, 1), st.sampled_from(["answered", "refused", "lost"])), max_size=30
)


@given(st.floats(0, 20), steps, st.randoms(use_true_random=False), st.sampled_from([PRICES_WRITING, TIERED]))
def test_the_cap_is_never_crossed_where_estimates_hold(
    cap: float, asked: list[tuple[int, float, str]], rng: random.Random, prices: Prices
) -> None:
    """Whatever the order in which requests are asked and come back, all of an answer's input written to the cache.
    Some are refused, others lost after the server has billed them; both are sent again while there is room."""
    model = CACHED.model_copy(update={"prices": prices})
    budget, in_flight, billed, to_ask = Budget(cap), [], 0.0, list(asked)
    while to_ask or in_flight:
        if to_ask:
            tokens, share, ends = to_ask.pop(rng.randrange(len(to_ask)))
            if budget.take(highest_cost(model, tokens, 0)):
                in_flight.append((tokens, share, ends))
        if in_flight and rng.random() < 0.5:
            tokens, share, ends = in_flight.pop(rng.randrange(len(in_flight)))
            used = int(tokens * share)
            answer = reply(0, written=used) if ends == "answered" else REFUSED if ends == "refused" else LOST
            billed += 0 if ends == "refused" else cost(prices, used, 0, written=used)
            budget.settle(highest_cost(model, tokens, 0), answer, prices)
            if ends != "answered":
                to_ask.append((tokens, share, "answered"))
        assert budget.spent + budget.reserved <= cap * (1 + 1e-9)
    assert billed <= cap * (1 + 1e-9)
    assert budget.reserved == 0


@given(st.lists(st.integers(1, 2_000_000), max_size=30))
def test_the_cap_is_crossed_by_no_more_than_what_is_in_flight(real: list[int]) -> None:
    """Each request costs more than its estimate, which is 0; none is asked once the cap is reached."""
    budget = Budget(cap=1.0)
    for tokens in real:
        if not budget.take(0.001):
            break
        budget.settle(0.001, reply(tokens), PRICES)
    assert budget.spent <= 1.0 + cost(PRICES, max(real, default=0), 0)


def test_what_was_not_answered_is_given_back() -> None:
    budget = Budget(cap=1.0)
    assert budget.take(1.0)
    assert not budget.take(0.5)
    budget.settle(1.0, REFUSED, None)
    assert budget.take(1.0)


def test_without_a_cap_nothing_is_stopped() -> None:
    budget = Budget()
    assert all(budget.take(1e9) for _ in range(3))


def test_a_cap_without_prices_is_a_mistake() -> None:
    known, unknown = ModelProfile(model="known", prices=PRICES), ModelProfile(model="unknown")
    check_cap(None, [known, unknown])
    check_cap(1.0, [known])
    with refused("max-cost-without-prices", "of unknown "):
        check_cap(1.0, [known, unknown])


def test_a_batch_costs_less_and_an_hour_in_the_cache_more() -> None:
    prices = PRICES_WRITING.model_copy(update={"batch_discount": 0.5, "cache_write_1h": 6.0})
    answer = reply(100_000, 0, cached=600_000, written=300_000)
    assert paid(prices, answer) == pytest.approx(0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75)
    batched = dataclasses.replace(answer, batched=True)
    assert paid(prices, batched) == pytest.approx((0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75) / 2)
    partly = dataclasses.replace(answer, hour_write_tokens=200_000)
    assert paid(prices, partly) == pytest.approx(0.1 * 3 + 0.6 * 0.3 + 0.1 * 3.75 + 0.2 * 6)
    assert paid(PRICES_WRITING, partly) == paid(PRICES_WRITING, answer), "where its price is not known"


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (0, "$0.00"),
        (0.002, "$0.002"),
        (0.00123, "$0.0012"),
        (0.0999, "$0.10"),
        (0.5, "$0.50"),
        (1.004, "$1.00"),
        (12345.678, "$12,345.68"),
    ],
)
def test_amounts_have_enough_digits(amount: float, shown: str) -> None:
    assert usd(amount) == shown


@pytest.mark.parametrize(("cap", "shown"), [(0.002, "$0.002"), (0.125, "$0.125"), (5, "$5.00"), (1.5, "$1.50")])
def test_a_cap_is_shown_as_it_was_given(cap: float, shown: str) -> None:
    assert usd_exactly(cap) == shown
    assert f"the cap of {shown} leaves" in Budget(cap).exceeded().message


def test_an_answer_of_a_fallback_model_has_no_known_price_and_counts_as_the_most_that_it_may_cost() -> None:
    reply = Answer("42", "end_turn", "other", input_tokens=1_000_000, output_tokens=0, fallback=True)
    assert paid(PRICES, reply) is None
    budget = Budget(cap=10.0)
    assert budget.take(4.0)
    budget.settle(4.0, reply, PRICES)
    assert budget.spent == 4.0
