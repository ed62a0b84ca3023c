"""The estimate of what a run is about to ask, in a line for each test and model."""

from __future__ import annotations

import dataclasses
import datetime

import pytest

from longctx.cells.cell import ReplyTokens
from longctx.config.models import Caching, ModelProfile, Tier, TokensPerUnit
from longctx.live.cost.estimate import (
    Estimate,
    Price,
    estimate,
    headline,
    in_all,
    price_warnings,
)
from longctx.live.cost.prefixes import shared
from longctx.protocols.collage import VARIANTS
from longctx.recording.request import Shared
from tests.given import dollars
from tests.recording.examples import collage_cell, line_cell, passkey_cell, requests_of

DAY = datetime.date(2026, 1, 1)
PRICES = dollars(1000, 2000)


def test_a_line_for_each_test_and_model() -> None:
    cells = [line_cell(3), line_cell(5), passkey_cell(), line_cell(3, model="other")]
    estimates = estimate(cells, requests_of(*cells))
    assert [(estimated.model, estimated.test, estimated.trials) for estimated in estimates] == [
        ("toy", "line_retrieval", 4),
        ("toy", "passkey", 2),
        ("other", "line_retrieval", 2),
    ]


def test_only_what_is_asked_costs() -> None:
    known = {"prices": PRICES, "tokens": TokensPerUnit(line=20)}
    few, many = line_cell(10, trials=3, **known), line_cell(100, trials=3, **known)
    [estimated] = estimate([few, many], [*requests_of(few)[:1], *requests_of(many)[:2]])
    assert (estimated.to_ask, estimated.trials) == (3, 6)
    assert (estimated.input_tokens, estimated.output_tokens) == (300 + 2 * 2100, 30)
    assert estimated.price is not None
    assert dataclasses.astuple(estimated.price)[:3] == pytest.approx(((4500 * 1000 + 30 * 2000) / 1e6,) * 3)
    assert str(estimated) == (
        "line_retrieval on toy: 3 of 6 trials need a request, about 4,500 input and at most 30 output tokens, about "
        "$4.56. "
        "Tokens by the profile."
    )


def test_room_for_thinking_is_distinguished() -> None:
    cell = line_cell(10, thinking_tokens=4096)
    [line] = estimate([cell], requests_of(cell))
    assert "at most 8,212 output tokens (8,192 of them for thinking), price not known" in str(line)


def test_a_price_that_is_not_known_is_reported_as_unknown() -> None:
    [estimated] = estimate([line_cell()], [])
    assert str(estimated).endswith(
        "0 of 2 trials need a request, about 0 input and at most 0 output tokens, price not known."
    )


def test_what_cannot_be_built_yet_is_all_to_ask() -> None:
    [estimated] = estimate([line_cell(3)], requests_of(line_cell(3)), [line_cell(5)])
    assert (estimated.to_ask, estimated.trials) == (4, 4)


def test_what_the_server_counted_is_used_and_said() -> None:
    [estimated] = estimate([line_cell()], requests_of(dataclasses.replace(line_cell(), counted=1234))[:1])
    assert estimated.input_tokens == 1234
    assert str(estimated).endswith("Tokens counted by the server.")


def test_the_prompt_cache_and_batches_have_prices_of_their_own() -> None:
    """Each record has eight variants: the first writes the cache and seven read it."""
    prices = dollars(1000, cache_read=100, cache_write=1250, batch_discount=0.5)
    model = {"prices": prices, "caching": Caching(min_tokens=100)}
    cells = [collage_cell(variant, **model) for variant in VARIANTS]
    trials = sorted(requests_of(*cells), key=lambda trial: trial.build().prefix)
    [estimated] = estimate(cells, shared(trials))
    assert estimated.price is not None
    assert estimated.price.batch == estimated.price.standard / 2
    assert 0.15 * estimated.price.standard < estimated.price.cached < 0.6 * estimated.price.standard
    [alone] = estimate(cells, trials)
    assert alone.price == Price(
        estimated.price.standard, pytest.approx(estimated.price.standard), estimated.price.batch
    )
    assert str(Price(10, 4, 5)) == "about $10.00 ($4.00 with the prompt cache, $5.00 in batches)"


def test_each_prompt_costs_by_its_own_length() -> None:
    """Prompts of one test lie on both sides of a boundary: all tokens of the longer ones cost more, replies too."""
    tier = Tier(tokens=1000, input=5000, output=9000, cache_read=500, cache_write=6250)
    prices = PRICES.model_copy(update={"above": (tier,), "batch_discount": 0.5, "cache_read": 100, "cache_write": 1250})
    cell = line_cell(trials=1, prices=prices)
    at, beyond = (dataclasses.replace(cell, counted=counted) for counted in (1000, 1001))
    whole = 1000 * 1000 + 10 * 2000 + 1001 * 5000 + 10 * 9000
    [estimated] = estimate([at, beyond], requests_of(at, beyond))
    assert estimated.price is not None
    assert dataclasses.astuple(estimated.price)[:3] == pytest.approx((whole / 1e6, whole / 1e6, whole / 2e6))
    kept = Shared(length=100, cuts=(60,), read=20, after="the one before")  # a fifth is read, two fifths are written
    [estimated] = estimate([at, beyond], [dataclasses.replace(trial, shared=kept) for trial in requests_of(at, beyond)])
    assert estimated.price is not None
    cached = 400 * 1000 + 200 * 100 + 400 * 1250 + 10 * 2000
    cached += 400.4 * 5000 + 200.2 * 500 + 400.4 * 6250 + 10 * 9000
    assert estimated.price.cached == pytest.approx(cached / 1e6)


def test_the_price_of_all() -> None:
    known = Estimate("toy", "passkey", 1, 1, 1, 1, Price(1, 0.5, 1), False)
    unknown = Estimate("other", "passkey", 1, 1, 1, 1, None, False)
    assert in_all([known, unknown]) is None
    assert in_all([known, known]) == "In all about $2.00 ($1.00 with the prompt cache)."
    sentence = "In all about $2.00 ($1.00 with the prompt cache), without the models whose prices are not known."
    assert in_all([known, known, unknown]) == sentence


def test_the_price_of_all_comes_first() -> None:
    known = Estimate("toy", "passkey", 3, 2, 1, 1, Price(1, 1, 0.5), False)
    cached = Estimate("toy", "passkey", 3, 2, 1, 1, Price(1, 0.5, 0.5, 0.4), False)
    unknown = Estimate("other", "passkey", 1, 1, 1, 1, None, False)
    assert headline([known], False, "") == "About $1.00 ($0.50 in batches) for 2 trials; nothing was sent."
    without = "for 3 trials, without the models whose prices are not known; cap $5.00; nothing was sent."
    assert headline([unknown, known], False, "$5.00") == f"About $1.00 ($0.50 in batches) {without}"
    direct = "$1.00 sent directly, without the prompt cache"
    assert headline([cached], True, "") == f"About $0.40 ({direct}) for 2 trials; nothing was sent."
    cheap = Estimate("toy", "passkey", 3, 2, 1, 1, Price(0.1531, 0.1529, 0.1531), False)
    assert headline([cheap], False, "") == "About $0.15 for 2 trials; nothing was sent.", "no two prices look alike"
    assert headline([unknown], False, "") == "Price not known, for 1 trial; nothing was sent."


def test_what_replies_take_stands_beside_the_most_that_they_may_take() -> None:
    cell = dataclasses.replace(line_cell(10, prices=PRICES), replies=ReplyTokens(4.0, answers=3))
    [line] = estimate([cell], requests_of(cell))
    assert "input and about 8, at most 20 output tokens, about $" in str(line)


def test_prices_of_over_a_year_ago_are_doubted() -> None:
    today = DAY + datetime.timedelta(days=366)
    models = [ModelProfile(model=name, prices=PRICES) for name in ("a", "a")]
    free = ModelProfile(model="own", prices=dollars())
    later = dollars(above=(Tier(tokens=9, input=1, output=0),))
    assert price_warnings([*models, free, ModelProfile(model="b")], today) == [
        "The prices of a are from 2026-01-01, over a year ago: look them up, and update the profile."
    ]
    assert not price_warnings(models, DAY)
    assert price_warnings([ModelProfile(model="free up to 9 tokens", prices=later)], today)
