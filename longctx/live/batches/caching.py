"""The prompt cache in batches: shared prefixes are cached for an hour, and one prompt of each is asked before.

A batch may take more than five minutes to begin, and its requests run in parallel, so that none can rely on another to
have written a prefix. Source: "Batch processing" and "Prompt caching", platform.claude.com/docs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from longctx.config.models import ModelProfile, Prices, TokenPrices
from longctx.live.cost.estimate import estimate
from longctx.live.cost.money import cost, usd
from longctx.live.cost.sharing import shared
from longctx.recording.case import Case, Question


def shared_by_batches(questions: Sequence[Question]) -> list[Question]:
    """Return the same questions with the prefixes that they read in a batch after direct requests have written them."""
    cases = {
        id(question.case): dataclasses.replace(question.case, model=for_an_hour(question.case.model))
        for question in questions
    }
    return shared(
        [dataclasses.replace(question, case=cases[id(question.case)]) for question in questions], pays_in_batches
    )


def cheaper_directly(cases: Sequence[Case], questions: Sequence[Question], planned: Sequence[Question]) -> str | None:
    """Return a sentence with the cost of direct requests if it is lower than that of `planned` batches; else None."""
    if all(question.case.model.caching is None for question in questions):
        return None
    directly = [estimated.price for estimated in estimate(cases, shared(questions)) if estimated.price]
    batched = [estimated.price for estimated in estimate(cases, planned, batches=True) if estimated.price]
    direct = math.fsum(price.cached for price in directly)
    if direct >= math.fsum(price.planned or 0.0 for price in batched):
        return None
    return (
        f"Asked directly, with the prompt cache, it would cost about {usd(direct)}, less than in batches: leave out "
        "--ctx-batch, unless the limits on direct requests are too low."
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
    return cost(prices, tokens, question.case.reply_tokens, read * share * tokens, written * share * tokens)
