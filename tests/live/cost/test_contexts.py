"""The price of several questions about one context, before any prompt is built."""

from __future__ import annotations

import pytest

from longctx.config.models import Caching, ModelProfile
from longctx.live.cost.prefixes import QUESTION_TOKENS, ContextPrice, best_questions, price_of_evidence
from tests.given import dollars

SONNET = dollars(2, 10, cache_read=0.1, cache_write=2.5, cache_write_1h=4, batch_discount=0.5)
CACHED = ModelProfile(model="toy", caching=Caching(), prices=SONNET)
PLAIN = ModelProfile(model="toy", prices=SONNET)


def test_a_prefix_of_200_000_tokens_asked_four_times_is_cheaper_directly_than_in_a_batch() -> None:
    cached = ContextPrice.of(CACHED, 200_000, 0, 4)
    plain = ContextPrice.of(PLAIN, 200_000, 0, 4)
    assert cached is not None
    assert plain is not None
    assert cached.direct == pytest.approx(0.56, abs=0.005)
    assert plain.in_batches == pytest.approx(0.80)
    assert cached.in_batches == cached.direct


def test_many_questions_are_cheapest_in_a_batch_that_reads_what_one_wrote_for_an_hour() -> None:
    price = ContextPrice.of(CACHED, 100_000, 500, 40)
    assert price is not None
    shared = 100_000 - QUESTION_TOKENS
    first = (shared * 4 + QUESTION_TOKENS * 2 + 500 * 10) / 1e6
    later = (shared * 0.1 + QUESTION_TOKENS * 2 + 500 * 10) / 1e6
    assert price.in_batches == pytest.approx(first + 39 * later / 2)
    assert price.in_batches < price.direct


@pytest.mark.parametrize(("model", "size", "questions"), [(PLAIN, 9000, 4), (CACHED, 900, 4), (CACHED, 9000, 1)])
def test_without_a_cache_each_prompt_is_sent_in_full(model: ModelProfile, size: int, questions: int) -> None:
    price = ContextPrice.of(model, size, 100, questions)
    assert price is not None
    assert price.direct == pytest.approx(questions * (2 * size + 1000) / 1e6)
    assert price.in_batches == pytest.approx(price.direct / 2)


def test_the_best_number_falls_with_the_correlation_and_with_the_length_of_replies() -> None:
    best = [best_questions(CACHED, 100_000, 100, correlation) for correlation in (0.0, 0.05, 0.3, 1.0)]
    assert best == sorted(best, reverse=True)
    assert (best[0], best[-1]) == (16, 1)
    assert best_questions(CACHED, 100_000, 20_000, 0.05) < best_questions(CACHED, 100_000, 100, 0.05)
    four, one = (price_of_evidence(CACHED, 88_000, 100, number, 0.05) for number in (4, 1))
    assert four is not None
    assert one is not None
    assert 0.35 < four.direct / one.direct < 0.5
    assert best_questions(ModelProfile(model="toy"), 100_000, 100, 0.05) == 1
