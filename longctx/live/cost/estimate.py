"""The estimate of what a run will ask: trials, tokens and price for each test and model."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from longctx.cells.cell import Cell, ReplyTokens
from longctx.config.models import ModelProfile, Prices
from longctx.live.cost.money import cost
from longctx.recording.request import Request
from longctx.results.grouping import grouped
from longctx.text import count, usd

OLD = datetime.timedelta(days=365)
"""The age from which prices are doubted."""


@dataclass(frozen=True, slots=True)
class Price:
    """The price of an estimate in USD."""

    standard: float
    """Direct requests without a cache."""
    cached: float
    """Direct requests with the prompt cache."""
    batch: float
    """Batches without a cache."""
    planned: float | None = None
    """What this run pays in batches, with the prompt cache; None if it asks directly."""

    def __add__(self, other: Price) -> Price:
        planned = None if self.planned is None or other.planned is None else self.planned + other.planned
        return Price(self.standard + other.standard, self.cached + other.cached, self.batch + other.batch, planned)

    def paid(self, batches: bool) -> float:
        """Return what a run pays, in batches or directly with the prompt cache."""
        return self.planned if batches and self.planned is not None else self.cached

    def __str__(self) -> str:
        standard, cached, batch = map(usd, (self.standard, self.cached, self.batch))
        if self.planned is not None:
            planned = usd(self.planned)
            cache, without = (" with the prompt cache", [f"{batch} without"]) if planned != batch else ("", [])
            others = [*without, f"{standard} asked directly"] if planned != standard else []
            return f"about {planned} in batches{cache}" + (f" ({', '.join(others)})" if others else "")
        less = [f"{cached} with the prompt cache"] if cached != standard else []
        less += [f"{batch} in batches"] if batch != standard else []
        return f"about {standard}" + (f" ({', '.join(less)})" if less else "")


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of one test for one model."""

    model: str
    test: str
    trials: int
    to_ask: int
    input_tokens: int
    output_tokens: int
    """The most that the replies can take."""
    price: Price | None
    """With replies as long as the model's are by its answers, else with the longest; None if it is not known."""
    counted: bool
    """Whether the server counted the input."""
    thinking_tokens: int = 0
    """How many of these are set aside for thinking."""
    replies: ReplyTokens | None = None
    """The model's replies by its answers; None if it has too few to say."""
    thinking: ReplyTokens | None = None
    """What the model's answers to others spend on thinking, if its replies to this test are not known."""
    expected_tokens: int | None = None
    """The output tokens that the price is that of; None for the most."""
    basis: str = ""
    """What they are estimated by, if not by the model's replies to this test."""

    def __str__(self) -> str:
        price = "price not known" if self.price is None else str(self.price)
        if (known := self.replies or self.thinking) and self.price and self.to_ask:
            what = "replies" if self.replies else "thinking"
            price += f", by {what} of {known} in {known.answers:,} answers"
        elif self.basis and self.to_ask:
            price += f", {self.basis}"
        source = f" Tokens {'counted by the server' if self.counted else 'by the profile'}." if self.to_ask else ""
        most = f"at most {self.output_tokens:,}"
        if self.expected_tokens is not None and self.expected_tokens < self.output_tokens:
            most = f"about {self.expected_tokens:,}, {most}"
        thinking = f" ({self.thinking_tokens:,} of them for thinking)" if self.thinking_tokens else ""
        return (
            f"{self.test} on {self.model}: {self.to_ask:,} of {self.trials:,} trials need a request, about "
            f"{self.input_tokens:,} input and {most} output tokens{thinking}, {price}.{source}"
        )


@dataclass(frozen=True, slots=True)
class Estimates:
    """What a run would send: an estimate for each test and model, and sentences on what must be known of them."""

    each: tuple[Estimate, ...] = ()
    remarks: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    """Sentences that -v alone shows."""

    def __add__(self, other: Estimates) -> Estimates:
        return Estimates(self.each + other.each, self.remarks + other.remarks, self.details + other.details)

    def of(self, name: str) -> Estimates:
        """Return them under the name of a treatment, which stands for the model."""
        return Estimates(
            tuple(replace(each, model=name) for each in self.each),
            tuple(_of(name, remark) for remark in self.remarks),
            tuple(_of(name, detail) for detail in self.details),
        )


def _of(name: str, sentence: str) -> str:
    return sentence if name in sentence else f"{name}: {sentence}"


@dataclass(frozen=True, slots=True)
class Later:
    """The requests that are known only once earlier ones are answered, as recorded trials have them."""

    requests: float = 0.0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    """The most that the replies can take."""
    expected_tokens: float = 0.0
    price: float | None = 0.0
    """USD if they are sent directly; None if it is not known."""


NONE_LATER = Later()


def estimate(
    cells: Sequence[Cell], requests: Iterable[Request], unbuilt: Sequence[Cell] = (), batches: bool = False
) -> list[Estimate]:
    """Estimate what a run will ask, for each test and model.

    cells: all cells of the run. requests: those of their trials that are sent. unbuilt: cells that cannot be built
    yet; all of their trials are sent. batches: whether the run asks in batches.
    """
    every = (*requests, *(Request.of(trial) for cell in unbuilt for trial in cell.each_trial()))
    asked = grouped(every, lambda request: request.cell.group)
    return [
        estimate_of(members, asked.get(group, ()), batches)
        for group, members in grouped((*cells, *unbuilt), lambda cell: cell.group).items()
    ]


def estimate_of(
    cells: Sequence[Cell], requests: Sequence[Request], batches: bool, later: Later = NONE_LATER
) -> Estimate:
    """Estimate the requests of one test and model. cells: all cells that these requests belong to."""
    own = cells[0].model.prices
    price = None
    if own and later.price is not None and all(request.model.prices for request in requests):
        less = later.price * (1 - own.batch_discount)
        price = price_of(requests, batches) + Price(later.price, later.price, less, less if batches else None)
    return Estimate(
        model=cells[0].model.model,
        test=cells[0].point.test,
        trials=sum(cell.size for cell in cells),
        to_ask=len(requests),
        input_tokens=round(sum(request.tokens.prompt for request in requests) + later.input_tokens),
        output_tokens=round(sum(request.tokens.reply for request in requests) + later.output_tokens),
        price=price,
        counted=all(request.cell.counted is not None for request in requests),
        thinking_tokens=sum(request.model.thinking_tokens for request in requests),
        expected_tokens=round(sum(request.tokens.expected for request in requests) + later.expected_tokens),
        replies=requests[0].tokens.replies if requests else cells[0].replies,
    )


def price_of(requests: Sequence[Request], batches: bool) -> Price:
    """Return the price of requests, each at the rates of its model for the length of its own prompt."""
    directly = {request.shared.after for request in requests} if batches else set()
    sums: tuple[list[float], ...] = ([], [], [], [])
    for request in requests:
        prices, kept = request.model.prices, request.shared
        assert prices is not None
        size, reply, less = request.tokens.prompt, request.tokens.expected, 1 - prices.batch_discount
        standard = cost(prices, size, reply)
        cached = cost(prices, size, reply, size * kept.read_share, size * kept.write_share)
        planned = cached * (1 if batches and (kept.direct or request.key in directly) else less)
        for total, price in zip(sums, (standard, cached, standard * less, planned), strict=True):
            total.append(price)
    standard, cached, batch, planned = map(math.fsum, sums)
    return Price(standard, cached, batch, planned if batches else None)


def headline(estimates: Sequence[Estimate], batches: bool, cap: str) -> str:
    """Return the price of all estimates in a sentence. batches: whether it asks in batches. cap: empty for none."""
    prices = [estimate.price for estimate in estimates if estimate.price is not None]
    trials, total = sum(estimate.to_ask for estimate in estimates), sum(prices[1:], prices[0]) if prices else None
    capped = f"; cap {cap}" if cap else ""
    if total is None:
        return f"Price not known, for {count(trials, 'trial')}{capped}; nothing was sent."
    paid = total.paid(batches)
    others = [f"{usd(total.batch)} in batches"] if not batches and total.batch != total.standard else []
    if usd(total.standard) != usd(paid):
        others.append(f"{usd(total.standard)} {'sent directly, ' if batches else ''}without the prompt cache")
    unknown = "" if len(prices) == len(estimates) else ", without the models whose prices are not known"
    other = f" ({', '.join(others)})" if others else ""
    return f"About {usd(paid)}{other} for {count(trials, 'trial')}{unknown}{capped}; nothing was sent."


def total_price(estimates: Iterable[Estimate], batches: bool) -> float:
    """Return what a run is estimated to pay in USD, without the models whose prices are not known."""
    return math.fsum(estimate.price.paid(batches) for estimate in estimates if estimate.price is not None)


def in_all(estimates: Sequence[Estimate]) -> str | None:
    """Return a sentence with the total price; None if fewer than two prices are known."""
    known = [estimate.price for estimate in estimates if estimate.price is not None]
    if len(known) < 2:
        return None
    exception = "" if len(known) == len(estimates) else ", without the models whose prices are not known"
    return f"In all {sum(known[1:], known[0])}{exception}."


def price_warnings(models: Iterable[ModelProfile], today: datetime.date) -> list[str]:
    """Return a sentence for each model whose prices may have changed since they were noted."""
    return [
        f"The prices of {model.model} are from {model.prices.dated}, over a year ago: look them up, and update the "
        "profile."
        for model in {model.model: model for model in models}.values()
        if model.prices is not None and _costs(model.prices) and today - model.prices.dated > OLD
    ]


def _costs(prices: Prices) -> bool:
    return any(rates.input > 0 or rates.output > 0 for rates in (prices, *prices.above))
