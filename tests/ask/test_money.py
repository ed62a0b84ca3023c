"""What a run costs, and the cap that it keeps."""

from __future__ import annotations

import datetime
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.ask.money import Budget, check_cap, cost, estimated_cost
from longctx.ask.reply import to_reply
from longctx.config.models import ModelProfile, Prices
from longctx.errors import UserError
from longctx.scenarios.base import Reply
from tests.servers import message

PRICES = Prices(input=3, output=15, cache_read=0.3, dated=datetime.date(2026, 1, 1))


def reply(input_tokens: int, output_tokens: int = 0, cached: int = 0) -> Reply:
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens, "cache_read_input_tokens": cached}
    return to_reply(message("", usage=usage), latency_s=0, recorded_at="", request_sha256="", live=True)


def test_cached_tokens_cost_what_reading_them_costs() -> None:
    assert cost(PRICES, 1_000_000, 1_000_000) == pytest.approx(18)
    assert cost(PRICES, 1_000_000, 0, 900_000) == pytest.approx(0.1 * 3 + 0.9 * 0.3)
    assert cost(PRICES.model_copy(update={"cache_read": None}), 1_000_000, 0, 900_000) == pytest.approx(3)


def test_reading_the_cache_may_be_free() -> None:
    assert cost(PRICES.model_copy(update={"cache_read": 0.0}), 1_000_000, 0, 1_000_000) == 0


def test_an_estimate_needs_prices() -> None:
    assert estimated_cost(ModelProfile(model="toy", prices=PRICES), 1_000_000, 0) == pytest.approx(3)
    assert estimated_cost(ModelProfile(model="toy"), 1_000_000, 0) is None


steps = st.lists(st.tuples(st.integers(0, 2_000_000), st.floats(0, 1), st.booleans()), max_size=30)


@given(st.floats(0, 20), steps, st.randoms(use_true_random=False))
def test_the_cap_is_never_crossed_where_estimates_hold(
    cap: float, asked: list[tuple[int, float, bool]], rng: random.Random
) -> None:
    """Whatever the order in which requests are asked and come back, some of them failed."""
    budget, in_flight = Budget(cap), []
    for tokens, share, fails in asked:
        if budget.take(cost(PRICES, tokens, 0)):
            in_flight.append((tokens, None if fails else reply(int(tokens * share))))
        if in_flight and rng.random() < 0.5:
            taken, answer = in_flight.pop(rng.randrange(len(in_flight)))
            budget.settle(cost(PRICES, taken, 0), answer, PRICES)
        assert budget.spent + budget.reserved <= cap + 1e-9


@given(st.lists(st.integers(1, 2_000_000), max_size=30))
def test_the_cap_is_crossed_by_no_more_than_what_is_in_flight(real: list[int]) -> None:
    """Each request costs more than its estimate of nothing: none is asked once the cap is reached."""
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
    budget.settle(1.0, None, None)
    assert budget.take(1.0)


def test_without_a_cap_nothing_is_stopped() -> None:
    budget = Budget()
    assert all(budget.take(1e9) for _ in range(3))


def test_a_cap_without_prices_is_a_mistake() -> None:
    known, unknown = ModelProfile(model="known", prices=PRICES), ModelProfile(model="unknown")
    check_cap(None, [known, unknown])
    check_cap(1.0, [known])
    with pytest.raises(UserError, match=r"--ctx-max-cost needs prices, and the profile of unknown gives none"):
        check_cap(1.0, [known, unknown])
