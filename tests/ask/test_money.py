"""What a run costs, and the cap that it keeps."""

from __future__ import annotations

import datetime
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.ask.failure import Failure
from longctx.ask.money import Budget, check_cap, cost, estimated_cost, highest_cost, paid
from longctx.ask.reply import to_reply
from longctx.config.models import Caching, ModelProfile, Prices
from longctx.errors import UserError
from longctx.vocabulary.scenario import Reply
from tests.servers import message

PRICES = Prices(input=3, output=15, cache_read=0.3, dated=datetime.date(2026, 1, 1))


PRICES_WRITING = PRICES.model_copy(update={"cache_write": 3.75})


def reply(input_tokens: int, output_tokens: int = 0, cached: int = 0, written: int = 0) -> Reply:
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    usage |= {"cache_read_input_tokens": cached, "cache_creation_input_tokens": written}
    return to_reply(message("", usage=usage), latency_s=0, recorded_at="", request_sha256="", live=True)


def test_cached_tokens_cost_what_reading_them_costs() -> None:
    assert cost(PRICES, 1_000_000, 1_000_000) == pytest.approx(18)
    assert cost(PRICES, 1_000_000, 0, 900_000) == pytest.approx(0.1 * 3 + 0.9 * 0.3)
    assert cost(PRICES.model_copy(update={"cache_read": None}), 1_000_000, 0, 900_000) == pytest.approx(3)


def test_tokens_written_to_the_cache_cost_what_writing_them_costs() -> None:
    answer = reply(100_000, 0, cached=600_000, written=300_000)
    assert paid(PRICES_WRITING, answer) == pytest.approx(0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75)
    assert paid(PRICES, answer) == pytest.approx(0.4 * 3 + 0.6 * 0.3)
    assert paid(None, answer) is None


def test_the_most_that_a_request_may_cost() -> None:
    assert highest_cost(CACHED, 1_000_000, 1_000_000) == pytest.approx(3.75 + 15)
    assert highest_cost(ModelProfile(prices=PRICES_WRITING), 1_000_000, 0) == pytest.approx(3)
    assert highest_cost(ModelProfile(prices=PRICES, caching=Caching()), 1_000_000, 0) == pytest.approx(3)
    assert highest_cost(ModelProfile(), 1_000_000, 0) == 0


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


@given(st.floats(0, 20), steps, st.randoms(use_true_random=False))
def test_the_cap_is_never_crossed_where_estimates_hold(
    cap: float, asked: list[tuple[int, float, str]], rng: random.Random
) -> None:
    """Whatever the order in which requests are asked and come back, all of an answer's input written to the cache.
    Some are refused, others lost after the server has billed them; both are sent again while there is room."""
    budget, in_flight, billed, to_ask = Budget(cap), [], 0.0, list(asked)
    while to_ask or in_flight:
        if to_ask:
            tokens, share, ends = to_ask.pop(rng.randrange(len(to_ask)))
            if budget.take(highest_cost(CACHED, tokens, 0)):
                in_flight.append((tokens, share, ends))
        if in_flight and rng.random() < 0.5:
            tokens, share, ends = in_flight.pop(rng.randrange(len(in_flight)))
            used = int(tokens * share)
            answer = reply(0, written=used) if ends == "answered" else REFUSED if ends == "refused" else LOST
            billed += 0 if ends == "refused" else cost(PRICES_WRITING, used, 0, written=used)
            budget.settle(highest_cost(CACHED, tokens, 0), answer, CACHED.prices)
            if ends != "answered":
                to_ask.append((tokens, share, "answered"))
        assert budget.spent + budget.reserved <= cap * (1 + 1e-9)
    assert billed <= cap * (1 + 1e-9)
    assert budget.reserved == 0


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
    budget.settle(1.0, REFUSED, None)
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
