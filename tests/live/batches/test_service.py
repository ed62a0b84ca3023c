"""The Message Batches API, read strictly."""

from __future__ import annotations

import datetime
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from longctx import clocks
from longctx.config.models import ModelProfile
from longctx.live.batches.service import Service, check_provider, read_state
from longctx.live.server.client import open_client
from longctx.recording.answer_body import MalformedAnswer
from tests.batch_server import PATH, BatchServer
from tests.live.clients import Found, called
from tests.refusals import refused
from tests.servers import Answer, giving

STATE: dict[str, Any] = {
    "id": "msgbatch_1",
    "processing_status": "in_progress",
    "request_counts": {"processing": 3, "succeeded": 1, "errored": 0, "canceled": 0, "expired": 0},
}


def asked(server: BatchServer, ask: Callable[[Service], Awaitable[Found]]) -> Found:
    return called(server.url, lambda client: ask(Service(client)))


def results_of(server: BatchServer, id: str, requests: int = 2) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    asked(server, lambda service: service.results(id, requests, results.append))
    return results


def test_what_a_gateway_leaves_out_is_not_needed() -> None:
    state = read_state(json.dumps(STATE).encode())
    assert (state.id, state.requests, state.done, state.ended) == ("msgbatch_1", 4, 1, False)
    assert (state.created_at, state.ended_at, state.gone) == (None, None, False)


@pytest.mark.parametrize("value", [None, 3, [], {"processing": "many"}])
@pytest.mark.parametrize("name", STATE)
def test_nonsense_is_malformed(name: str, value: object) -> None:
    with pytest.raises(MalformedAnswer, match="the server's answer is no batch"):
        read_state(json.dumps(STATE | {name: value}).encode())


@pytest.mark.parametrize("id", ["..", "../../v1/models", "a/b", "a?b", "", " ", "a\nb"])
def test_an_id_that_is_no_segment_of_a_path_is_malformed(id: str) -> None:
    """docs/security.md, server-ids."""
    with pytest.raises(MalformedAnswer, match="its id cannot be one"):
        read_state(json.dumps(STATE | {"id": id}).encode())


@pytest.mark.parametrize("number", [True, 1.5, "1", -1, 1.7, "3", float("inf")])
def test_a_count_of_requests_is_an_integer(number: object) -> None:
    with pytest.raises(MalformedAnswer, match="is not a count"):
        read_state(json.dumps(STATE | {"request_counts": {"processing": number}}).encode())


def test_times_of_any_shape() -> None:
    for said, told in (("2026-01-01T00:00:00Z", True), ("2026-01-01T00:00:00", True), ("yesterday", False), (7, False)):
        state = read_state(json.dumps(STATE | {"created_at": said, "archived_at": said}).encode())
        assert (state.created_at == datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)) == told
        assert state.gone


def test_results_come_from_the_server_that_was_asked() -> None:
    """The address in the answer is ignored: behind a gateway it names another host, which would be sent the key.

    docs/security.md, results-url.
    """
    with BatchServer() as server:
        server.put("a", "b")
        results = results_of(server, "msgbatch_0000")
        assert sorted(result["custom_id"] for result in results) == ["a", "b"]
        assert [request.path for request in server.received] == [f"{PATH}/msgbatch_0000/results"]


def test_lines_that_are_no_results_are_left_out() -> None:
    with BatchServer() as server:
        lines = giving(b'{"custom_id": "a"}\n\n[1]\nodd\r\n{"custom_id": "b"}\r\n{"cut')
        server.answer_other = lambda request: lines({})  # type: ignore[method-assign]
        results = results_of(server, "../x")
        assert [result["custom_id"] for result in results] == ["a", "b"]
        assert server.received[0].path == f"{PATH}/..%2Fx/results"


def test_the_list_is_read_page_by_page_until_it_is_too_old() -> None:
    with BatchServer() as server:
        for number in range(5):
            server.put(str(number)).created_at += datetime.timedelta(hours=number)
        server.page = 2
        since = server.created[2].created_at
        listed = asked(server, lambda service: service.since(since))
        assert [batch.id for batch in listed] == ["msgbatch_0004", "msgbatch_0003", "msgbatch_0002"]
        assert [request.query.get("after_id") for request in server.received] == [None, "msgbatch_0003"]


def test_a_list_that_does_not_end_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/security.md, server-lists"""
    monkeypatch.setattr("longctx.live.batches.service.MOST_PAGES", 4)
    ids = (f"msgbatch_{number}" for number in itertools.count())
    with BatchServer() as server:
        server.listing = lambda body: page([STATE | {"id": next(ids)}])
        with pytest.raises(MalformedAnswer, match="list of batches does not end: 4 pages of it are read"):
            asked(server, lambda service: service.since(clocks.now()))
        assert len(server.received) == 4
        server.listing = lambda body: page([STATE])
        with pytest.raises(MalformedAnswer, match="list of batches begins again and again"):
            asked(server, lambda service: service.since(clocks.now()))
        assert len(server.received) == 6


def page(states: list[dict[str, Any]]) -> Answer:
    return 200, {}, json.dumps({"data": states, "has_more": True}).encode()


def test_results_are_noted_as_they_arrive_and_no_further_than_any_results_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may be cut off in any place, and never end. (docs/security.md, server-size)"""
    monkeypatch.setattr("longctx.live.batches.service.MOST_PER_REQUEST", 100_000)
    monkeypatch.setattr("longctx.live.batches.service.MOST_BYTES", 1_000_000)
    first, lines = b'{"custom_id": "a"}\n', giving(b'{"custom_id": "a"}\n' * 100_000)
    noted: list[dict[str, Any]] = []
    with BatchServer() as server:
        server.answer_other = lambda request: lines({})  # type: ignore[method-assign]
        with pytest.raises(MalformedAnswer, match="larger than 1,200,000 bytes"):
            asked(server, lambda service: service.results("b", 2, noted.append))
        assert 0 < len(noted) <= 1_200_000 / len(first)
        lines = giving(first + b"x" * 1_500_000)
        noted.clear()
        with pytest.raises(MalformedAnswer, match="larger than 1,000,000 bytes"):
            asked(server, lambda service: service.results("b", 10, noted.append))
        assert noted == [{"custom_id": "a"}]


def test_results_nested_too_deeply_are_left_out() -> None:
    """docs/security.md, server-depth"""
    deep = b'{"custom_id": "a", "result": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with BatchServer() as server:
        lines = giving(deep + b'\n{"custom_id": "b"}')
        server.answer_other = lambda request: lines({})  # type: ignore[method-assign]
        assert [result["custom_id"] for result in results_of(server, "b")] == ["b"]


def test_providers_without_batches() -> None:
    check_provider([ModelProfile()])
    for provider in ("bedrock", "vertex", "foundry"):
        with refused("provider-without-batches", "m ", provider):
            check_provider([ModelProfile(), ModelProfile.model_validate({"model": "m", "provider": provider})])


def test_a_server_is_the_same_with_a_slash_at_its_end() -> None:
    for base in "http://server:1/v", "http://server:1/v/":
        assert Service(open_client(None, base, 1)).url == "http://server:1/v"
