"""The prefixes that the prompts of a run share, and which of them the prompt cache is asked to keep.

The text of a request is cut into blocks at the end of each prefix that is worth keeping, and the longest of these are
marked with `cache_control`. A server finds a prefix only if an earlier request had the same blocks. So whether a prefix
becomes a block depends on the prefix and on shorter ones within it, never on the single prompt.

Source: "Prompt caching", platform.claude.com/docs.

In batches, shared prefixes are cached for an hour, and one prompt of each is asked before.

A batch may take more than five minutes to begin, and its requests run in parallel, so that none can rely on another to
have written a prefix. Source: "Batch processing" and "Prompt caching", platform.claude.com/docs.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from longctx.config.models import Caching, ModelProfile, Prices, TokenPrices
from longctx.live.cost.money import cost, read_price, write_price
from longctx.recording.request import Request, Shared, user_text
from longctx.vocabulary.shapes import TEXT

CHARACTERS_A_TOKEN = 4
"""Characters per token, more than most texts have, so that a prefix of enough characters has enough tokens."""
LEAST = 256
"""The least characters by which a prefix must exceed a shorter one to be worth its own block."""


Worth = Callable[[Sequence[Request], Sequence[float]], bool]
"""Tells whether to keep a prefix, from the questions that share it and the share that it has of each prompt."""


@dataclass(slots=True)
class Prefix:
    """A prefix of `length` characters that the prompts from index `first` to index `last` share."""

    length: int
    first: int
    last: int
    writer: int | None = None
    """The index of the first prompt that marks it, once that is known."""


def shared(requests: Sequence[Request], worth: Worth | None = None) -> list[Request]:
    """Return the same questions with the prefixes that they share if they are sent in this order.

    worth: decides which prefixes are kept, if the questions are not sent directly. Prompts of models with caching are
    built once, and two of them are held at a time.
    """
    result: list[Request] = []
    for _, group in groupby(requests, lambda request: request.model.model):
        same_model = list(group)
        result += _shared(same_model[0].model, same_model, worth)
    return result


def _shared(model: ModelProfile, requests: Sequence[Request], worth: Worth | None) -> Sequence[Request]:
    if model.caching is None:
        return requests
    lengths, common = _compared(model, model.caching, requests)
    rates = [model.prices and model.prices.at(request.tokens.prompt) for request in requests]

    def kept(prefix: Prefix) -> bool:
        sharing = slice(prefix.first, prefix.last + 1)
        assert worth is not None
        return worth(requests[sharing], [prefix.length / length for length in lengths[sharing]])

    plans = plan(shared_prefixes(common), rates, model.caching, kept if worth else None)
    return [
        dataclasses.replace(request, shared=Shared(length, cuts, read, None if after is None else requests[after].key))
        for request, length, (cuts, read, after) in zip(requests, lengths, plans, strict=True)
    ]


def _compared(model: ModelProfile, caching: Caching, requests: Sequence[Request]) -> tuple[list[int], list[int]]:
    """Return the length of each prompt, and of the prefix that it shares with the one before; zeros if it shares none.

    Lengths are characters.
    """
    lengths: list[int] = []
    common: list[int] = []
    system_before, text_before = "", ""
    for request in requests:
        if _alone(request, caching):
            lengths.append(0)
            common.append(0)
            system_before, text_before = "", ""
            continue
        built = request.build()
        text = user_text(built, model)
        lengths.append(len(text))
        common.append(common_length(text_before, text) if built.system == system_before else 0)
        system_before, text_before = built.system, text
    return lengths, common


def _alone(request: Request, caching: Caching) -> bool:
    """Return whether a prompt shares nothing that the cache is asked to keep.

    All that it can share, the words of its templates, may be too short; and other shapes than the text mark nothing.
    """
    if request.cell.shape != TEXT:
        return True
    if request.cell.repeats > 1 or request.trial.prefix is not None:
        return False
    templates = sum(map(len, request.cell.wording.templates.values()))
    return templates + LEAST < caching.min_tokens * CHARACTERS_A_TOKEN


def common_length(first: str, second: str) -> int:
    """Return the length of the common prefix of two texts, by bisection: comparing slices is faster than a loop."""
    alike, most = 0, min(len(first), len(second))
    while alike < most:
        middle = (alike + most + 1) // 2
        if first[alike:middle] == second[alike:middle]:
            alike = middle
        else:
            most = middle - 1
    return alike


def shared_prefixes(common: Sequence[int]) -> list[Prefix]:
    """Return the prefixes that two or more neighbours share.

    common: the length of the prefix that each prompt shares with the one before; 0 for the first. The prefixes are the
    intervals of an array of longest common prefixes: M. Abouelhoda, S. Kurtz and E. Ohlebusch, "Replacing suffix trees
    with enhanced suffix arrays", 2004, section 4.1.
    """
    prefixes: list[Prefix] = []
    still_open: list[Prefix] = []
    for index, length in enumerate([*common, 0]):
        first = index - 1
        while still_open and still_open[-1].length > length:
            prefix = still_open.pop()
            prefixes.append(dataclasses.replace(prefix, last=index - 1))
            first = prefix.first
        if length > (still_open[-1].length if still_open else 0):
            still_open.append(Prefix(length, first, first))
    return prefixes


def plan(
    prefixes: Sequence[Prefix],
    rates: Sequence[TokenPrices | None],
    caching: Caching,
    kept: Callable[[Prefix], bool] | None = None,
) -> Iterator[tuple[tuple[int, ...], int, int | None]]:
    """Yield the cuts of each prompt, the length that it reads from the cache, and the index of its writer.

    rates: the rates of each prompt; None if prices are not known. kept: tells whether a prefix is kept; by default, if
    it `pays`.
    """
    starting: dict[int, list[Prefix]] = defaultdict(list)
    for prefix in sorted(prefixes, key=lambda prefix: prefix.length):
        starting[prefix.first].append(prefix)
    path: list[Prefix] = []
    for index in range(len(rates)):
        while path and path[-1].last < index:
            path.pop()
        for prefix in starting[index]:
            longer = prefix.length - (path[-1].length if path else 0)
            enough = prefix.length >= caching.min_tokens * CHARACTERS_A_TOKEN
            if enough and longer >= LEAST and (kept(prefix) if kept else pays(rates[prefix.first : prefix.last + 1])):
                path.append(prefix)
        source = next((prefix for prefix in reversed(path) if prefix.writer is not None), None)
        read, after = (source.length, source.writer) if source else (0, None)
        for prefix in path[-caching.breakpoints :]:
            if prefix.length > read:
                prefix.writer = index
        yield tuple(prefix.length for prefix in path), read, after


def pays(rates: Sequence[TokenPrices | None]) -> bool:
    """Return whether a prefix is cheaper if the first prompt writes it and the others read it than if all send it.

    rates: those of the prompts that share it. True if prices are not known.
    """
    known = [rate for rate in rates if rate is not None]
    if not known:
        return True
    cached_price = math.fsum([write_price(known[0]), *map(read_price, known[1:])])
    return cached_price < math.fsum(prices.input for prices in known)


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
    def of(cls, model: ModelProfile, size: float, reply: float, trials: int) -> ContextPrice | None:
        """Return the price of this number of questions; None if prices are not known.

        size: the tokens of a prompt. reply: those of a reply.
        """
        if model.prices is None:
            return None
        standard = trials * cost(model.prices, size, reply)
        less = 1 - model.prices.batch_discount
        shared = max(size - QUESTION_TOKENS, 0.0)
        if trials == 1 or model.caching is None or shared < model.caching.min_tokens:
            return cls(standard, standard * less)

        def cached(prices: Prices, others: float) -> float:
            first = cost(prices, size, reply, written=shared)
            return first + others * (trials - 1) * cost(prices, size, reply, read=shared)

        direct = min(standard, cached(model.prices, 1.0))
        hourly = for_an_hour(model)
        by_the_hour = [cached(hourly.prices, less)] if hourly.caching and hourly.prices else []
        return cls(direct, min(standard * less, direct, *by_the_hour))


def price_of_evidence(
    model: ModelProfile, size: float, reply: float, trials: int, correlation: float
) -> ContextPrice | None:
    """Return the price of as much evidence as one independent question gives, asked N a context."""
    price = ContextPrice.of(model, size, reply, trials)
    if price is None:
        return None
    each = (1 + (trials - 1) * correlation) / trials  # L. Kish's design effect, a trial
    return ContextPrice(price.direct * each, price.in_batches * each)


def best_questions(model: ModelProfile, size: float, reply: float, correlation: float, batch: bool = False) -> int:
    """Return how many questions per context cost least for the evidence; 1 if prices are not known."""

    def price(trials: int) -> float:
        known = price_of_evidence(model, size, reply, trials, correlation)
        return 0.0 if known is None else known.in_batches if batch else known.direct

    return min(range(1, MOST_QUESTIONS + 1), key=price)


def shared_by_batches(requests: Sequence[Request]) -> list[Request]:
    """Return the same questions with the prefixes that they read in a batch after direct requests have written them."""
    hourly = {id(request.model): for_an_hour(request.model) for request in requests}
    hour_priced = [dataclasses.replace(request, model=hourly[id(request.model)]) for request in requests]
    return shared(hour_priced, pays_in_batches)


def cheapest_with_batches(requests: Sequence[Request]) -> list[Request]:
    """Return the same questions, planned for the lowest price: in batches, or directly where the cache is cheaper.

    Questions that share a prefix are asked in one way. One whose prices are not known is asked in a batch.
    """
    result: list[Request] = []
    alternatives: list[tuple[Request, Request]] = []
    for batched, direct in zip(shared_by_batches(requests), shared(requests), strict=True):
        if alternatives and batched.shared.after is None and direct.shared.after is None:
            result += cheaper(alternatives)
            alternatives = []
        alternatives.append((batched, direct))
    return result + cheaper(alternatives)


def cheaper(alternatives: Sequence[tuple[Request, Request]]) -> list[Request]:
    """Return the questions of a shared prefix in batches, or marked to be asked directly if that is cheaper."""
    batched, directly = ([pair[place] for pair in alternatives] for place in (0, 1))
    prices = batched[0].model.prices if batched else None
    if prices is None or len(batched) == 1:
        return batched
    discounted, firsts = 1 - prices.batch_discount, {request.shared.after for request in batched}
    in_batches = math.fsum(_as_planned(request) * (1 if request.key in firsts else discounted) for request in batched)
    if math.fsum(map(_as_planned, directly)) >= in_batches:
        return batched
    return [
        dataclasses.replace(request, shared=dataclasses.replace(request.shared, direct=True)) for request in directly
    ]


def _as_planned(request: Request) -> float:
    """Return the cost of a direct request in USD, with what it reads from the cache and writes to it."""
    prices, size, shared_part = request.model.prices, request.tokens.prompt, request.shared
    assert prices is not None
    return cost(prices, size, request.tokens.expected, size * shared_part.read_share, size * shared_part.write_share)


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


def pays_in_batches(requests: Sequence[Request], shares: Sequence[float]) -> bool:
    """Return whether it is cheaper to ask the first question directly, so that the others read the prefix it writes.

    The alternative is to send all of them in batches without a cache. shares: the share of each prompt that is the
    prefix. True if prices are not known.
    """
    prices = requests[0].model.prices
    if prices is None:
        return True
    batched = 1 - prices.batch_discount
    first, *others = zip(requests, shares, strict=True)
    cached_usd = _usd(prices, *first, written=1) + batched * math.fsum(_usd(prices, *sizes, read=1) for sizes in others)
    return cached_usd < batched * math.fsum(_usd(prices, *sizes) for sizes in (first, *others))


def _usd(prices: Prices, request: Request, share: float, read: int = 0, written: int = 0) -> float:
    tokens = request.tokens.prompt
    return cost(prices, tokens, request.tokens.expected, read * share * tokens, written * share * tokens)
