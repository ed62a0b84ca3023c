"""What a run will cost, before it is asked, and a cap that it keeps while it asks."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.config.models import ModelProfile, Prices
from longctx.errors import UserError
from longctx.scenarios.base import Reply


def cost(prices: Prices, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
    """USD. `input_tokens` includes the cached ones, which cost the cache_read price where there is one."""
    cache_read = prices.input if prices.cache_read is None else prices.cache_read
    fresh = input_tokens - cached_tokens
    return (fresh * prices.input + cached_tokens * cache_read + output_tokens * prices.output) / 1e6


def paid(prices: Prices | None, reply: Reply) -> float | None:
    """USD that a reply cost; None where prices are not known."""
    return None if prices is None else cost(prices, reply.input_tokens, reply.cached_tokens, reply.output_tokens)


@dataclass
class Budget:
    """A cap in USD, crossed by no more than what is in flight; without a cap, nothing is stopped.

    Room for a request's estimated cost is taken before it is asked, and settled by its real usage.
    """

    cap: float | None = None
    spent: float = 0.0
    reserved: float = 0.0
    in_flight: int = 0

    def has_room(self, estimate: float) -> bool:
        return self.cap is None or self.spent + self.reserved + estimate <= self.cap

    def take(self, estimate: float) -> bool:
        """Reserve the estimate; False where the cap leaves no room for it."""
        if not self.has_room(estimate):
            return False
        self.reserved += estimate
        self.in_flight += 1
        return True

    def settle(self, estimate: float, reply: Reply | None, prices: Prices | None) -> None:
        self.reserved -= estimate
        self.in_flight -= 1
        if reply is not None:
            self.spent += paid(prices, reply) or 0.0


def estimated_cost(model: ModelProfile, input_tokens: int, output_tokens: int) -> float | None:
    """USD for fresh input and full output; None for a model whose prices are not known."""
    return None if model.prices is None else cost(model.prices, input_tokens, 0, output_tokens)


def check_cap(cap: float | None, models: list[ModelProfile]) -> None:
    """Raises UserError where a cap is set and a model's prices are not known."""
    unknown = sorted({model.model for model in models if model.prices is None})
    if cap is not None and unknown:
        raise UserError(
            f"--ctx-max-cost needs prices, and the profile of {', '.join(unknown)} gives none: "
            "add a [prices] table to its file in fixtures/models/ (all zero for a server of your own)."
        )
