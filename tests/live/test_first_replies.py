"""The first replies of a run say how long replies are, and so what the rest costs."""

from __future__ import annotations

import pytest

from longctx.cells.cell import Cell
from longctx.live.cost.estimate import estimate
from longctx.live.display import Tally
from longctx.live.outcomes import Outcomes
from longctx.live.progress import Silent
from longctx.live.run import FirstReplies
from longctx.recording.request import Request
from tests.given import dollars, reply
from tests.recording.examples import line_cell, requests_of

PRICES = dollars(0, 10, batch_discount=0.5)


def thinking(trials: int = 40) -> Cell:
    return line_cell(trials=trials, thinking_tokens=4096, prices=PRICES)


def after(replies: list[int], batch: bool = False) -> tuple[list[Request], list[str]]:
    """Return the questions that are left as they are planned after replies of so many tokens, and what is said."""
    trials, messages = requests_of(thinking()), list[str]()
    outcomes = Outcomes(Tally(len(trials)), Silent())
    for trial, tokens in zip(trials, replies, strict=False):
        outcomes.ended(trial.ready(), reply("42", output_tokens=tokens))
    first = FirstReplies(outcomes, batch, messages.append)
    rest = first.planned(trials[len(replies) :], again=bool(replies))
    return first.planned(rest, again=True), messages


def test_the_rest_is_priced_by_them_and_this_is_said_once() -> None:
    rest, messages = after([450, 500, 550])
    [estimated] = estimate([rest[0].cell], rest)
    assert estimated.price is not None
    assert estimated.price.standard == pytest.approx(37 * 500 * 10 / 1e6)
    assert messages == [
        f"After the first answers: {estimated}",
    ]
    assert "about $0.18 ($0.092 in batches), by replies of 500 tokens in 3 answers" in messages[0]
    assert "at most 151,922 output tokens" in messages[0], "the most that is reserved stays"


def test_too_few_say_nothing() -> None:
    rest, messages = after([450, 500])
    assert rest[0].cell.replies is None
    assert rest[0].tokens.expected == 4096 + rest[0].cell.point.max_tokens
    assert messages == []


def test_the_price_in_batches_is_that_of_batches() -> None:
    _, messages = after([500, 500, 500], batch=True)
    assert "about $0.092 in batches ($0.18 asked directly), by replies of 500 tokens" in messages[0]
