"""The prompt cache in batches: shared prefixes are cached for an hour, and one prompt of each is asked before.

A batch may take more than five minutes to begin, and its requests run in parallel, so that none can rely on another to
have written a prefix. Source: "Batch processing" and "Prompt caching", platform.claude.com/docs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TypeVar

from longctx.cases.case import Question
from longctx.config.models import ModelProfile, Prices, TokenPrices
from longctx.live.cost.money import cost
from longctx.live.cost.sharing import shared

Asked = TypeVar("Asked", bound=Question)


def shared_by_batches(questions: Sequence[Question]) -> list[Question]:
    """Return the same questions with the prefixes that they read in a batch after direct requests have written them."""
    cases = {
        id(question.case): dataclasses.replace(question.case, model=for_an_hour(question.case.model))
        for question in questions
    }
    return shared(
        [dataclasses.replace(question, case=cases[id(question.case)]) for question in questions], pays_in_batches
    )


def cheapest_with_batches(questions: Sequence[Question]) -> list[Question]:
    """Return the same questions, planned for the lowest price: in batches, or directly where the cache is cheaper.

    Questions that share a prefix are asked in one way. One whose prices are not known is asked in a batch.
    """
    result: list[Question] = []
    alternatives: list[tuple[Question, Question]] = []
    for batched, direct in zip(shared_by_batches(questions), shared(questions), strict=True):
        if alternatives and batched.shared.after is None and direct.shared.after is None:
            result += cheaper(alternatives)
            alternatives = []
        alternatives.append((batched, direct))
    return result + cheaper(alternatives)


def cheaper(alternatives: Sequence[tuple[Asked, Asked]]) -> list[Asked]:
    """Return the questions of a shared prefix in batches, or marked to be asked directly if that is cheaper."""
    batched, directly = ([pair[place] for pair in alternatives] for place in (0, 1))
    prices = batched[0].case.model.prices if batched else None
    if prices is None or len(batched) == 1:
        return batched
    discounted, firsts = 1 - prices.batch_discount, {question.shared.after for question in batched}
    in_batches = math.fsum(
        _as_planned(question) * (1 if question.key in firsts else discounted) for question in batched
    )
    if math.fsum(map(_as_planned, directly)) >= in_batches:
        return batched
    return [
        dataclasses.replace(question, shared=dataclasses.replace(question.shared, direct=True)) for question in directly
    ]


def _as_planned(question: Question) -> float:
    """Return the cost of a direct request in USD, with what it reads from the cache and writes to it."""
    prices, size, of_prompt = question.case.model.prices, question.case.size_tokens, question.shared
    assert prices is not None
    return cost(
        prices, size, question.case.expected_reply_tokens, size * of_prompt.read_share, size * of_prompt.write_share
    )


def for_an_hour(model: ModelProfile) -> ModelProfile:
    """Return the model with a cache of an hour and its price; without a cache if that price is not known."""
    if model.caching is None or model.caching.ttl == "1h":
        return model
    if model.prices is None:
        return model.model_copy(update={"caching": model.caching.model_copy(update={"ttl": "1h"})})
    if any(rates.cache_write_1h is None for rates in (model.prices, *model.prices.above)):
        return model.model_copy(update={"caching": None})
    caching = model.caching.model_copy(update={"ttl": "1h"})
    return model.model_copy(update={"caching": caching, "prices": _for_an_hour(model.prices)})


def _for_an_hour(prices: Prices) -> Prices:
    def hourly(rates: TokenPrices) -> dict[str, float | None]:
        return {"cache_write": rates.cache_write_1h}

    above = tuple(tier.model_copy(update=hourly(tier)) for tier in prices.above)
    return prices.model_copy(update={**hourly(prices), "above": above})


def pays_in_batches(questions: Sequence[Question], shares: Sequence[float]) -> bool:
    """Return whether it is cheaper to ask the first question directly, so that the others read the prefix it writes.

    The alternative is to send all of them in batches without a cache. shares: the share of each prompt that is the
    prefix. True if prices are not known.
    """
    prices = questions[0].case.model.prices
    if prices is None:
        return True
    batched = 1 - prices.batch_discount
    first, *others = zip(questions, shares, strict=True)
    cached_usd = _usd(prices, *first, written=1) + batched * math.fsum(_usd(prices, *sizes, read=1) for sizes in others)
    return cached_usd < batched * math.fsum(_usd(prices, *sizes) for sizes in (first, *others))


def _usd(prices: Prices, question: Question, share: float, read: int = 0, written: int = 0) -> float:
    tokens = question.case.size_tokens
    return cost(prices, tokens, question.case.expected_reply_tokens, read * share * tokens, written * share * tokens)
