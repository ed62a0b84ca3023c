"""The asking pass with a server that caches marked prefixes: it reads what was estimated, and nothing else changes."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
from pathlib import Path

import pytest

from longctx.cells.cell import Cell
from longctx.config.models import Caching, Prices
from longctx.live.asking import ask_all
from longctx.live.bounds import Bounds
from longctx.live.cost.prefixes import shared
from longctx.live.failure import Asked
from longctx.live.progress import Silent
from longctx.live.server.client import open_client
from longctx.live.server.counting import with_counted_tokens
from longctx.protocols.collage import VARIANTS
from longctx.recording.missing import missing
from longctx.recording.request import Place, Request, user_text
from longctx.recording.tape import Tape
from longctx.vocabulary.answer import Answer
from tests.prefix_cache import CHARACTERS_A_TOKEN, PrefixCache
from tests.recording.examples import collage_cell, requests_of
from tests.servers import SimulatedServer, count_tokens

PRICES = Prices(input=1, output=5, cache_read=0.1, cache_write=1.25, dated=datetime.date(2026, 1, 1))


def cells(**model: object) -> list[Cell]:
    return [collage_cell(variant, prices=PRICES, **model) for variant in VARIANTS]


def replies(tape: Tape, asked: list[Cell]) -> list[Answer | None]:
    trials = [trial for cell in asked for trial in cell.each_trial()]
    return [tape.reply(Place.of(trial, trial.build())) for trial in trials]


def test_what_was_foreseen_is_read_however_many_are_in_flight(tmp_path: Path) -> None:
    cache, tape = PrefixCache(100), Tape(tmp_path, "once")
    trials = shared(missing(tape, cells(caching=Caching(min_tokens=100))))

    async def ask(url: str) -> Asked:
        async with open_client(tape, url, 8) as client:
            return await ask_all(client, tape, trials, Bounds.of(8), Silent())

    with SimulatedServer(cache.script) as server:
        assert asyncio.run(ask(server.url)).answered == len(trials) == 16
    answered = [reply for reply in replies(Tape(tmp_path), cells()) if reply]
    assert len(answered) == 16, "a profile without caching replays them"
    assert sum(reply.cached_tokens for reply in answered) == sum(
        trial.shared.read // CHARACTERS_A_TOKEN for trial in trials
    )
    assert sum(reply.cache_write_tokens for reply in answered) > 0


def test_tokens_are_counted_once_for_each_kind_of_prompt(tmp_path: Path) -> None:
    async def count(url: str) -> list[Request]:
        async with open_client(Tape(tmp_path), url, 4) as client:
            return await with_counted_tokens(client, missing(Tape(tmp_path, "once"), cells()), print)

    with SimulatedServer() as server:
        requests = asyncio.run(count(server.url))
    assert [request.path for request in server.received] == ["/v1/messages/count_tokens"]
    for trial in requests:
        text = user_text(trial.build(), trial.cell.model)
        assert trial.cell.size_tokens == pytest.approx(count_tokens(text), rel=0.1)


def test_cases_of_one_name_are_counted_apart(tmp_path: Path) -> None:
    same = [collage_cell(trials=1), dataclasses.replace(collage_cell(trials=1), seed=1)]
    trials = requests_of(*same)

    async def count(url: str) -> list[Request]:
        async with open_client(Tape(tmp_path), url, 4) as client:
            return await with_counted_tokens(client, trials, print)

    with SimulatedServer() as server:
        requests = asyncio.run(count(server.url))
    assert requests[0].cell.id == requests[1].cell.id
    assert [trial.cell.seed for trial in requests] == [0, 1]


def test_a_server_that_does_not_count_leaves_the_profile_to_say(tmp_path: Path) -> None:
    async def count() -> list[Request]:
        async with open_client(Tape(tmp_path), "http://127.0.0.1:9", 4) as client:
            return await with_counted_tokens(client, missing(Tape(tmp_path, "once"), cells()), print)

    assert {trial.cell.counted for trial in asyncio.run(count())} == {None}
