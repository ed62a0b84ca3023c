"""The estimate of test functions: first requests exactly, later ones as in the trials that are recorded."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from longctx.cells.cell import Cell, Group, ReplyTokens
from longctx.functions.asking import one_line
from longctx.functions.contexts import of_one_context, shared_requests
from longctx.functions.measure import Result
from longctx.functions.trial import GUESS, UNLIMITED, FunctionTrial
from longctx.live.cost.estimate import NONE_LATER, Estimate, Later, estimate_of
from longctx.live.cost.money import estimated_cost
from longctx.recording.apis import api_of
from longctx.recording.request import Request
from longctx.recording.trials import Exchange
from longctx.text import count


@dataclass(slots=True)
class _Sum:
    """The trials of one function on one model."""

    cell: Cell
    trials: int = 0
    unanswered: list[tuple[int, Sequence[Request]]] = field(default_factory=list)
    """For each trial that lacks answers: how many requests are answered, and those that are not."""
    recorded: list[Sequence[Exchange]] = field(default_factory=list)
    """The exchanges of each trial that lacks nothing."""
    first: list[int] = field(default_factory=list)
    """The output tokens of the first answer of each trial that has one."""
    errors: Counter[str] = field(default_factory=Counter)
    """How many trials end with each error of the test."""


class FunctionEstimates:
    """The estimates of the functions of one run."""

    def __init__(self) -> None:
        self._sums: dict[Group, _Sum] = {}
        self._thinking: dict[str, list[int]] = defaultdict(list)
        """What each answer of a model spent on thinking."""

    def add_cell(self, cell: Cell) -> None:
        """Count the trials of a cell."""
        self._of(cell).trials += cell.size

    def add_recorded(self, trial: FunctionTrial, result: Result) -> None:
        """Learn from a trial that was replayed, as far as it is recorded."""
        if result.kind in ("skipped", "error") or not trial.exchanges:
            return
        of = self._of(trial.cell)
        if first := trial.exchanges[0].answer:
            of.first.append(first.output_tokens)
        for exchange in trial.exchanges:
            if exchange.answer and exchange.answer.thinking_tokens is not None:
                self._thinking[exchange.model.model].append(exchange.answer.thinking_tokens)
        if result.kind != "suspended":
            of.recorded.append(list(trial.exchanges))

    def add_error(self, cell: Cell, result: Result) -> None:
        """Count a trial that ends with an error of the test, whose requests are not known."""
        self._of(cell).errors[one_line(result)] += 1

    def add_unanswered(self, trial: FunctionTrial, requests: Sequence[Request]) -> None:
        """Count a trial that lacks answers to these requests."""
        self._of(trial.cell).unanswered.append((len(trial.exchanges), requests))

    def estimates(self, batch: bool) -> list[Estimate]:
        """Return one estimate for each function and model. batch: whether the run asks in batches."""
        thinking = {model: known for model, spent in self._thinking.items() if (known := ReplyTokens.of(spent))}
        return [_estimate(of, batch, thinking, self._comparable(of)) for of in self._sums.values()]

    def _comparable(self, of: _Sum) -> tuple[ReplyTokens | None, str]:
        """Return how long replies without a limit are by other answers: of the function, else of the model; and which.

        Without any, it is a guess.
        """
        test, model = of.cell.group
        by_function = [tokens for (name, _), other in self._sums.items() if name == test for tokens in other.first]
        by_model = [tokens for (_, name), other in self._sums.items() if name == model for tokens in other.first]
        for tokens, whose in ((by_function, "other models"), (by_model, "other tests")):
            if known := ReplyTokens.of(tokens):
                return known, f"by replies of {known} in {known.answers:,} answers of {whose}"
        return None, f"by a guess: {GUESS:,} tokens a reply, which nothing limits"

    def sentences(self) -> Iterator[str]:
        """Yield what is known of the later requests of each function that has any, or may have, and its errors."""
        for (function, model), of in self._sums.items():
            for message, number in of.errors.items():
                yield f"{function} on {model}: {count(number, 'trial')} cannot be estimated: {message}"
            first = sum(len(requests) for _, requests in of.unanswered)
            later = _later(of)
            if first and later is None:
                yield (
                    f"{function} on {model}: this counts only the first request of each trial; later ones can be "
                    "estimated once some trials are recorded."
                )
            elif first and later and later.requests:
                yield (
                    f"{function} on {model}: {first:,} requests are counted exactly, and about {later.requests:,.0f} "
                    f"later ones are estimated from {len(of.recorded):,} recorded trials."
                )

    def _of(self, cell: Cell) -> _Sum:
        return self._sums.setdefault(cell.group, _Sum(cell))


def _later(of: _Sum) -> Later | None:
    """Return the later requests, as in the recorded trials; None if there are none of these."""
    if not of.recorded:
        return None
    each = fmean(len(exchanges) for exchanges in of.recorded)
    requests = sum(max(0.0, each - answered - len(first)) for answered, first in of.unanswered)
    seen = [
        (exchange, answer) for exchanges in of.recorded for exchange in exchanges[1:] if (answer := exchange.answer)
    ]
    if not (requests and seen):
        return NONE_LATER
    sizes = [(answer.input_tokens, answer.output_tokens) for _, answer in seen]
    prices = [estimated_cost(exchange.model, *size) for (exchange, _), size in zip(seen, sizes, strict=True)]
    known = [price for price in prices if price is not None]
    most = (api_of(each.model).most_tokens(each.body) or each.model.max_output or UNLIMITED for each, _ in seen)
    return Later(
        requests,
        requests * fmean(tokens for tokens, _ in sizes),
        requests * fmean(most),
        requests * fmean(tokens for _, tokens in sizes),
        requests * fmean(known) if len(known) == len(prices) else None,
    )


def _estimate(
    of: _Sum, batch: bool, thinking: Mapping[str, ReplyTokens], comparable: tuple[ReplyTokens | None, str]
) -> Estimate:
    """comparable: how long replies without a limit are by other answers, and by which."""
    cell, replies = of.cell, ReplyTokens.of(of.first)
    requests = [request for _, first in of.unanswered for request in first if not request.place.counts]
    expected = [_expecting(request, cell, replies or _of(request, comparable[0]), thinking) for request in requests]
    shared = [request for group in of_one_context(expected) for request in shared_requests(group, batch)]
    return dataclasses.replace(
        estimate_of([cell], shared, batch, _later(of) or NONE_LATER),
        trials=of.trials,
        to_ask=len(of.unanswered),
        counted=False,
        replies=replies,
        basis=comparable[1] if replies is None and any(each.tokens.guess for each in requests) else "",
        thinking=thinking.get(cell.model.model) if replies is None and cell.model.thinking_tokens else None,
    )


def _of(request: Request, comparable: ReplyTokens | None) -> ReplyTokens | None:
    return None if request.tokens.guess is None else comparable


def _expecting(
    request: Request, cell: Cell, replies: ReplyTokens | None, thinking: Mapping[str, ReplyTokens]
) -> Request:
    """Return a request with the reply that is expected: as long as first replies to the function, if these are known.

    Else it is as long as it may be, with as much thinking as the model spends elsewhere.
    """
    model, known = request.model, None
    if replies is not None and model.model == cell.model.model:
        known = replies.mean
    elif (spent := thinking.get(model.model)) and model.thinking_tokens:
        known = request.tokens.reply - model.thinking_tokens + min(spent.mean, model.thinking_tokens)
    expected = None if known is None else ReplyTokens(known, answers=0)
    return dataclasses.replace(request, tokens=dataclasses.replace(request.tokens, replies=expected))
