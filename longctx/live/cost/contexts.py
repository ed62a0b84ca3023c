"""The price of several questions about one context, asked directly or in batches, before any prompt is built."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.config.models import ModelProfile, Prices
from longctx.live.batches.caching import for_an_hour
from longctx.live.cost.money import cost

QUESTION_TOKENS = 150
"""About the tokens of a prompt behind the context that it shares."""
MOST_QUESTIONS = 16
"""The most questions about one context that are considered."""


@dataclass(frozen=True, slots=True)
class ContextPrice:
    """The price of the questions about a context in USD, with the prompt cache where that is cheaper."""

    direct: float
    in_batches: float
    """In batches, or directly where that is cheaper."""

    @classmethod
    def of(cls, model: ModelProfile, size: float, reply: float, questions: int) -> ContextPrice | None:
        """Return the price of this number of questions; None if prices are not known.

        size: the tokens of a prompt. reply: those of a reply.
        """
        if model.prices is None:
            return None
        standard = questions * cost(model.prices, size, reply)
        less = 1 - model.prices.batch_discount
        shared = max(size - QUESTION_TOKENS, 0.0)
        if questions == 1 or model.caching is None or shared < model.caching.min_tokens:
            return cls(standard, standard * less)

        def cached(prices: Prices, others: float) -> float:
            first = cost(prices, size, reply, written=shared)
            return first + others * (questions - 1) * cost(prices, size, reply, read=shared)

        direct = min(standard, cached(model.prices, 1.0))
        hourly = for_an_hour(model)
        by_the_hour = [cached(hourly.prices, less)] if hourly.caching and hourly.prices else []
        return cls(direct, min(standard * less, direct, *by_the_hour))


def price_of_evidence(
    model: ModelProfile, size: float, reply: float, questions: int, correlation: float
) -> ContextPrice | None:
    """Return the price of as much evidence as one independent question gives, asked N a context."""
    price = ContextPrice.of(model, size, reply, questions)
    if price is None:
        return None
    each = (1 + (questions - 1) * correlation) / questions  # L. Kish's design effect, a trial
    return ContextPrice(price.direct * each, price.in_batches * each)


def best_questions(model: ModelProfile, size: float, reply: float, correlation: float, batch: bool = False) -> int:
    """Return how many questions a context cost least for the evidence; 1 if prices are not known."""

    def price(questions: int) -> float:
        known = price_of_evidence(model, size, reply, questions, correlation)
        return 0.0 if known is None else known.in_batches if batch else known.direct

    return min(range(1, MOST_QUESTIONS + 1), key=price)
