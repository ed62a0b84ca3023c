"""The prompt cache in batches, on a simulated server that caches as the documentation says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from longctx.cells.cell import Cell, Trial
from longctx.config.models import Caching, ModelProfile, Tier
from longctx.live.cost.estimate import estimate
from longctx.live.cost.prefixes import cheapest_with_batches, for_an_hour, pays_in_batches, shared_by_batches
from longctx.protocols.collage import VARIANTS
from longctx.recording.missing import missing
from longctx.recording.request import Place, Request
from longctx.recording.tape import Tape
from tests.batch_server import BatchServer, Turned
from tests.given import dollars
from tests.live.batches.examples import run
from tests.prefix_cache import CHARACTERS_A_TOKEN, TimedCache
from tests.recording.examples import collage_cell, line_cell, requests_of

PRICES = dollars(1, cache_read=0.1, cache_write=1.25, cache_write_1h=2, batch_discount=0.5)
CACHING = Caching(min_tokens=100)
HOURLY = PRICES.model_copy(update={"cache_write": 2})


def cells(**model: object) -> list[Cell]:
    """Return eight variants of a question about each of three records."""
    given = {"prices": PRICES, "caching": CACHING, **model}
    return [collage_cell(variant, repeats, **given) for variant in VARIANTS for repeats in (0, 50, 100)]  # type: ignore[arg-type]


def test_the_first_writes_for_an_hour_and_the_batch_reads(tmp_path: Path) -> None:
    cache, turned = TimedCache(100), Turned()
    asked = shared_by_batches(missing(Tape(tmp_path, "once"), cells()))

    def later() -> None:
        cache.now_s = 1800.0

    turned.at_sleep = later
    with BatchServer(script=cache.script) as server:
        server.result, server.looks = cache.in_batch, 1
        ran = run(server, tmp_path, [], lacking=asked, turned=turned)
        assert ran.asked.answered == len(asked) == 48
        firsts = {trial.shared.after for trial in asked} - {None}
        assert len(server.asked) == len(firsts) < 10
        assert [len(batch.requests) for batch in server.created] == [48 - len(firsts)]
    tape = Tape(tmp_path)
    replies = {trial.key: tape.reply(Place.of(trial.trial, trial.build())) for trial in asked}
    batched = [reply for reply in replies.values() if reply and reply.batched]
    read = sum(reply.cached_tokens or 0 for reply in batched)
    assert read == sum(trial.shared.read // CHARACTERS_A_TOKEN for trial in asked if trial.key not in firsts), (
        "as foreseen"
    )
    assert read > 0.7 * sum(reply.input_tokens for reply in batched)
    written = [reply for reply in replies.values() if reply and not reply.batched]
    assert sum(reply.hour_write_tokens for reply in written) == sum(reply.cache_write_tokens for reply in written) > 0


def test_marks_of_five_minutes_would_be_in_vain(tmp_path: Path) -> None:
    cache = TimedCache(100)
    body = {"model": "toy", "messages": [{"content": [{"type": "text", "text": "x" * 4000, "cache_control": {}}]}]}
    assert cache.usage(body)["cache_creation_input_tokens"] == 1000
    cache.now_s = 299
    assert cache.usage(body)["cache_read_input_tokens"] == 1000, "and reading renews it"
    cache.now_s = 590
    assert cache.usage(body)["cache_read_input_tokens"] == 1000
    cache.now_s = 891
    assert cache.in_batch(body)["message"]["usage"]["cache_read_input_tokens"] == 0
    assert cache.in_batch(body)["message"]["usage"]["cache_read_input_tokens"] == 0, "nor does a batch read itself"


@pytest.mark.parametrize(("prompts", "pays"), [(2, False), (4, False), (5, True), (8, True)])
def test_it_pays_from_five_prompts_on(prompts: int, pays: bool) -> None:
    """All of each prompt is shared, so it pays if 2 + 0.05 (n - 1) < 0.5 n."""
    cell = dataclasses.replace(line_cell(prices=HOURLY), counted=100_000)
    trials = [Request.of(Trial(cell, 0, repeat)) for repeat in range(prompts)]
    assert pays_in_batches(trials, [1.0] * prompts) == pays


def test_what_the_first_loses_of_the_discount_counts() -> None:
    cell = dataclasses.replace(line_cell(prices=HOURLY), counted=100_000)
    trials = [Request.of(Trial(cell, 0, repeat)) for repeat in range(8)]
    assert pays_in_batches(trials, [0.9] * 8)
    assert not pays_in_batches(trials, [0.05] * 8)
    assert pays_in_batches([Request.of(Trial(line_cell(), 0))] * 2, [0.1] * 2), "where prices are not known"


def test_a_profile_whose_price_of_an_hour_is_not_known_marks_nothing() -> None:
    model = ModelProfile(caching=CACHING, prices=PRICES)
    hourly = for_an_hour(model)
    assert hourly.caching is not None
    assert hourly.prices is not None
    assert (hourly.caching.ttl, hourly.prices.cache_write) == ("1h", 2)
    tier = Tier(tokens=9, input=2, output=5)
    for prices in (PRICES.model_copy(update={"cache_write_1h": None}), PRICES.model_copy(update={"above": (tier,)})):
        assert for_an_hour(model.model_copy(update={"prices": prices})).caching is None
    unpriced = for_an_hour(ModelProfile(caching=CACHING)).caching
    assert unpriced is not None
    assert unpriced.ttl == "1h"
    for same in (ModelProfile(prices=PRICES), ModelProfile(caching=Caching(ttl="1h"))):
        assert for_an_hour(same) == same


def test_the_estimate_counts_with_it(tmp_path: Path) -> None:
    asked = missing(Tape(tmp_path, "once"), cells())
    planned = shared_by_batches(asked)
    [estimated] = estimate(cells(), planned, batches=True)
    assert estimated.price is not None
    assert estimated.price.planned is not None
    assert estimated.price.planned < estimated.price.batch < estimated.price.standard
    assert "in batches with the prompt cache ($" in str(estimated)
    dear = line_cell(prices=PRICES.model_copy(update={"input": 1000}))
    [priced] = estimate([dear], requests_of(dear), batches=True)
    assert "in batches ($" in str(priced)
    assert "asked directly)" in str(priced)


def test_what_the_cache_makes_cheaper_is_asked_directly_and_the_rest_in_a_batch(tmp_path: Path) -> None:
    again = [dataclasses.replace(cell, repeats=4) for cell in cells()[:3]]
    lacking = missing(Tape(tmp_path, "once"), [*again, line_cell(prices=PRICES, caching=CACHING)])
    asked = cheapest_with_batches(lacking)
    direct = [trial for trial in asked if trial.shared.direct]
    assert {trial.cell.point.test for trial in direct} == {"collage"}
    both = [estimate(again, plan, batches=True)[0].price for plan in (direct, shared_by_batches(direct))]
    assert all(price and price.planned for price in both)
    assert both[0].planned < both[1].planned < both[0].standard  # type: ignore[union-attr, operator]
    cache = TimedCache(100)
    with BatchServer(script=cache.script) as server:
        server.result = cache.in_batch
        assert run(server, tmp_path, [], lacking=asked).asked.answered == len(asked)
        assert len(server.asked) == len(direct)
        assert [len(batch.requests) for batch in server.created] == [len(asked) - len(direct)]


def test_a_long_reply_makes_the_batch_cheaper_again(tmp_path: Path) -> None:
    dear = PRICES.model_copy(update={"output": 100})
    again = [dataclasses.replace(cell, repeats=4) for cell in cells(prices=dear)[:3]]
    asked = cheapest_with_batches(missing(Tape(tmp_path, "once"), again))
    assert not [trial for trial in asked if trial.shared.direct]
