"""The asking pass with a server that caches marked prefixes: it reads what was estimated, and nothing else changes."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from longctx.cells.cell import Cell
from longctx.config.models import Caching
from longctx.live.cost.prefixes import shared
from longctx.live.server.counting import with_counted_tokens
from longctx.protocols.collage import VARIANTS
from longctx.recording.missing import missing
from longctx.recording.request import Request, user_text
from longctx.recording.tape import Tape
from tests.given import dollars
from tests.live.clients import asking, called
from tests.prefix_cache import CHARACTERS_A_TOKEN, PrefixCache
from tests.recording.examples import collage_cell, replies, requests_of
from tests.servers import SimulatedServer, count_tokens

PRICES = dollars(1, 5, cache_read=0.1, cache_write=1.25)


def cells(**model: object) -> list[Cell]:
    return [collage_cell(variant, prices=PRICES, **model) for variant in VARIANTS]


def counted(url: str, folder: Path, requests: list[Request]) -> list[Request]:
    return called(url, lambda client: with_counted_tokens(client, requests, print), Tape(folder))


def test_what_was_foreseen_is_read_however_many_are_in_flight(tmp_path: Path) -> None:
    cache, tape = PrefixCache(100), Tape(tmp_path, "once")
    trials = shared(missing(tape, cells(caching=Caching(min_tokens=100))))

    with SimulatedServer(cache.script) as server:
        assert asyncio.run(asking(server.url, tape, trials, 8)).answered == len(trials) == 16
    answered = replies(Tape(tmp_path), *cells())
    assert len(answered) == 16, "a profile without caching replays them"
    assert sum(reply.cached_tokens for reply in answered) == sum(
        trial.shared.read // CHARACTERS_A_TOKEN for trial in trials
    )
    assert sum(reply.cache_write_tokens for reply in answered) > 0


def test_tokens_are_counted_once_for_each_kind_of_prompt(tmp_path: Path) -> None:
    with SimulatedServer() as server:
        requests = counted(server.url, tmp_path, missing(Tape(tmp_path, "once"), cells()))
    assert [request.path for request in server.received] == ["/v1/messages/count_tokens"]
    for trial in requests:
        text = user_text(trial.build(), trial.cell.model)
        assert trial.cell.size_tokens == pytest.approx(count_tokens(text), rel=0.1)


def test_cells_of_one_name_are_counted_apart(tmp_path: Path) -> None:
    same = [collage_cell(trials=1), dataclasses.replace(collage_cell(trials=1), seed=1)]
    with SimulatedServer() as server:
        requests = counted(server.url, tmp_path, requests_of(*same))
    assert requests[0].cell.id == requests[1].cell.id
    assert [trial.cell.seed for trial in requests] == [0, 1]


def test_a_server_that_does_not_count_leaves_the_profile_to_say(tmp_path: Path) -> None:
    requests = counted("http://127.0.0.1:9", tmp_path, missing(Tape(tmp_path, "once"), cells()))
    assert {trial.cell.counted for trial in requests} == {None}
