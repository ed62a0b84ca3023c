"""The cost of requests, and the cap that a run keeps while it asks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longctx.config.models import ModelProfile, Prices, TokenPrices
from longctx.errors import UserError
from longctx.live.failure import Failure
from longctx.recording.request import Request
from longctx.text import usd, usd_exactly
from longctx.vocabulary.answer import Answer, CompactionUsage
from longctx.vocabulary.shapes import COMPACTION

MAYBE_PAID = ("timeout", "connection", "malformed_answer", "no_result")
"""The causes of failure after which the server may charge for an answer all the same."""

TRIGGER = 150_000
"""The input tokens from which the server compacts a request by default."""


def cost(
    prices: Prices, input_tokens: float, output_tokens: float, read: float = 0, written: float = 0, hour: float = 0
) -> float:
    """Return the cost of a request in USD.

    input_tokens: the whole prompt, whose length determines all rates; it includes the tokens `read` from the prompt
    cache and those `written` to it, of which `hour` are kept for an hour.
    """
    rates = prices.at(input_tokens)
    dearer = hour * (hour_write_price(rates) - write_price(rates)) / 1e6
    return _cost(rates, input_tokens, output_tokens, read, written) + dearer


def _cost(rates: TokenPrices, input_tokens: float, output_tokens: float, read: float, written: float) -> float:
    uncached = (input_tokens - read - written) * rates.input
    return (uncached + read * read_price(rates) + written * write_price(rates) + output_tokens * rates.output) / 1e6


def read_price(rates: TokenPrices) -> float:
    """Return the price of tokens read from the prompt cache, in USD per million."""
    return rates.input if rates.cache_read is None else rates.cache_read


def write_price(rates: TokenPrices) -> float:
    """Return the price of tokens written to the prompt cache, in USD per million."""
    return rates.input if rates.cache_write is None else rates.cache_write


def hour_write_price(rates: TokenPrices) -> float:
    """Return the price of tokens written to the prompt cache for an hour, in USD per million."""
    return write_price(rates) if rates.cache_write_1h is None else rates.cache_write_1h


def paid(prices: Prices | None, answer: Answer) -> float | None:
    """Return the cost of an answer in USD, with the discount if a batch answered it; None if prices are not known.

    prices: those of the model that the request named, which are not those of a fallback model.
    """
    if prices is None or answer.fallback:
        return None
    usd = cost(prices, *(all_ - own for all_, own in zip(_usage(answer), _compacted(answer), strict=True)))
    usd += sum(cost(prices, *_of_compaction(each)) for each in answer.compactions)
    return usd * (1 - prices.batch_discount) if answer.batched else usd


def paid_for_compaction(prices: Prices | None, answer: Answer) -> float | None:
    """Return the part of an answer's cost that its compactions cost; None if prices are not known."""
    if prices is None or answer.fallback:
        return None
    usd = sum(cost(prices, *_of_compaction(each)) for each in answer.compactions)
    return usd * (1 - prices.batch_discount) if answer.batched else usd


def _usage(answer: Answer) -> tuple[int, int, int, int, int]:
    """Return the arguments of `cost` for everything that an answer used."""
    read, written = answer.cached_tokens or 0, answer.cache_write_tokens
    return answer.input_tokens, answer.output_tokens, read, written, answer.hour_write_tokens


def _of_compaction(one: CompactionUsage) -> tuple[int, int, int, int, int]:
    return one.input_tokens, one.output_tokens, one.cached_tokens, one.cache_write_tokens, one.hour_write_tokens


def _compacted(answer: Answer) -> tuple[int, ...]:
    """Return the arguments of `cost` for its compactions together."""
    return tuple(map(sum, zip((0,) * 5, *map(_of_compaction, answer.compactions), strict=True)))


@dataclass
class Budget:
    """The budget of a run in USD, which is exceeded by no more than what is in flight.

    The most that a request can cost is reserved before it is sent, and settled by its real usage.
    """

    cap: float | None = None
    """None for no cap."""
    spent: float = 0.0
    reserved: float = 0.0
    in_flight: int = 0

    def exceeded(self) -> Failure:
        """Return the failure of a request that the cap leaves no room for."""
        return Failure("budget", f"the cap of {usd_exactly(self.cap or 0)} leaves no room for it", fatal=True)

    def has_room(self, most: float) -> bool:
        return self.cap is None or self.spent + self.reserved + most <= self.cap

    def take(self, most: float) -> bool:
        """Reserve the most that a request can cost; return False if the cap leaves no room for it."""
        if not self.has_room(most):
            return False
        self.reserved += most
        self.in_flight += 1
        return True

    def settle(self, most: float, result: Answer | Failure, prices: Prices | None) -> None:
        """Release a reservation and count what was spent: the whole reservation if that is not known."""
        self.reserved -= most
        self.in_flight -= 1
        if not self.in_flight:
            self.reserved = 0.0  # so that no rounding error remains
        if isinstance(result, Answer):
            cost = paid(prices, result)
            self.spent += cost if cost is not None else most
        elif result.cause in MAYBE_PAID and not result.fatal:
            self.spent += most


def estimated_cost(model: ModelProfile, input_tokens: int, output_tokens: int) -> float | None:
    """Return the cost of a request with uncached input and full output in USD; None if prices are not known."""
    return None if model.prices is None else cost(model.prices, input_tokens, output_tokens)


def highest_cost(model: ModelProfile, input_tokens: int, output_tokens: int, longest: int = 0) -> float:
    """Return the most that a request can cost in USD; 0 without prices.

    Output is full, all input is written to the cache if the model has one, and the rates are the highest of any prompt
    of up to `longest` tokens.
    """
    if model.prices is None:
        return 0.0
    reached = [tier for tier in model.prices.above if tier.tokens < max(input_tokens, longest)]
    return max(_highest(model, rates, input_tokens, output_tokens) for rates in (model.prices, *reached))


def most_paid(request: Request) -> float:
    """Return the most that a request that is ready can cost in USD if it is sent directly."""
    model, tokens = request.model, request.tokens
    highest = highest_cost(model, tokens.most, tokens.reply, tokens.longest)
    return highest + highest_compaction(model, request.body, tokens.most, tokens.longest)


def highest_compaction(model: ModelProfile, body: Mapping[str, Any], input_tokens: int, longest: int) -> float:
    """Return the most that the server's compactions of a request can cost in USD, besides the request itself.

    Each that a prompt of up to `longest` tokens may trigger reads all of the input. How long its summary may be is not
    documented: it is taken to be no longer than the input, and than the longest reply of the model. body: the request.
    """
    managed = body.get("context_management")
    edits = managed.get("edits") if isinstance(managed, Mapping) else None
    triggered = sum(_triggered(edit, longest) for edit in edits) if isinstance(edits, Sequence) else 0
    summary = min(input_tokens, model.max_output or input_tokens)
    return triggered * highest_cost(model, input_tokens, summary, longest) if triggered else 0.0


def _triggered(edit: object, tokens: int) -> bool:
    """Return whether a prompt of so many tokens triggers an edit, and that is a compaction."""
    if not isinstance(edit, Mapping) or edit.get("type") != COMPACTION:
        return False
    trigger = edit.get("trigger")
    value = trigger.get("value") if isinstance(trigger, Mapping) else None
    return tokens >= (value if isinstance(value, int) else TRIGGER)


def _highest(model: ModelProfile, rates: TokenPrices, input_tokens: int, output_tokens: int) -> float:
    dearer = model.caching is not None and write_price(rates) > rates.input
    return _cost(rates, input_tokens, output_tokens, read=0, written=input_tokens if dearer else 0)


def has_price(model: ModelProfile) -> bool:
    """Return whether a request to a model costs anything, as far as its prices are known."""
    prices = model.prices
    return prices is not None and (prices.input > 0 or prices.output > 0)


def check_default_cap(estimated: float, cap: float) -> None:
    """Raise UserError if requests are estimated to cost more than the cap that holds because none is stated."""
    if estimated > cap:
        raise UserError(
            "over-default-cap",
            f"The requests are estimated to cost {usd(estimated)}, more than the default cap of {usd(cap)}: add "
            f"--ctx-max-cost {math.ceil(estimated):,}, or max_cost in the profile.",
        )


def check_cap(cap: float | None, models: list[ModelProfile]) -> None:
    """Raise UserError if a cap is set and the prices of a model are not known."""
    unknown = sorted({model.model for model in models if model.prices is None})
    if cap is not None and unknown:
        raise UserError(
            "max-cost-without-prices",
            f"--ctx-max-cost needs prices, but the profile of {', '.join(unknown)} has none: add a [prices] table to "
            "its file in fixtures/models/ (zeros for your own server).",
        )
