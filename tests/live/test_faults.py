"""The asking pass against a server that misbehaves: every trial ends measured or with its cause, and is paid once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longctx import Axes, Outcome, TrialNumber, protocol
from longctx.cells.cell import Cell
from longctx.config.prompts import Wording
from longctx.live.asking import ask_all
from longctx.live.bounds import Bounds
from longctx.live.failure import SendResult
from longctx.live.progress import Silent
from longctx.live.server.client import open_client
from longctx.recording.missing import missing
from longctx.recording.tape import Tape
from longctx.vocabulary.protocol import cells_of
from tests.live.clients import asking
from tests.misbehaving import FAULTS, PAID, Body, MisbehavingServer, Reaction, Script
from tests.recording.examples import line_cell, replies
from tests.servers import prompt_of

TIMEOUT_S = 0.4
"""Time limit of an answer: a busy machine can give one, and a test can wait for one that never comes."""

pytestmark = pytest.mark.usefixtures("without_delay")


def ask(
    server: MisbehavingServer, folder: Path, cell: Cell, in_flight: int = 4, limit_s: float | None = None
) -> SendResult:
    tape = Tape(folder, "once")
    return asyncio.run(asyncio.wait_for(asking(server.url, tape, missing(tape, [cell]), in_flight), limit_s))


class Numbers(Axes):
    """A single cell."""

    def cells(self) -> Iterator[dict[str, object]]:
        yield {"number": 1}


@protocol(
    axes=Numbers,
    title="Short of documents",
    templates={"system": ()},
    size=lambda cell, tokens: 1,
    prefix=lambda cell, words, seed, index: "",
)
def short_of_documents(ask: Any, trial: TrialNumber, number: int) -> Outcome:
    if trial.index == 1:
        raise ValueError("there is no second document")
    return Outcome("correct", ask("How many?", expected="1").text)


def test_a_trial_that_cannot_be_built_is_the_only_one_that_fails(tmp_path: Path) -> None:
    """Direct runs build most prompts when they are sent: the trials around it are answered and recorded."""
    point = cells_of(short_of_documents)(1)
    cell = replace(line_cell(trials=4), point=point, wording=Wording("protocol", "none", {"system": ""}))
    tape = Tape(tmp_path, "once")

    async def asked(url: str) -> SendResult:
        async with open_client(tape, url, 1) as client:
            return await ask_all(client, tape, missing(tape, [cell], build=False), Bounds.of(1), Silent())

    with MisbehavingServer(first("right")) as server:
        result = asyncio.run(asked(server.url))
    assert result.answered == 3
    assert [(failure.cause, failure.message) for failure in result.failures.values()] == [
        ("cell-not-buildable", "toy-protocol-number-1: there is no second document")
    ]


def first(kind: str, times: int = 1) -> Script:
    """React in this way to the first requests, and answer the others rightly."""
    return lambda number, body: Reaction(kind if number < times else "right")


@pytest.mark.parametrize("kind", FAULTS)
def test_one_fault_is_got_over(kind: str, tmp_path: Path) -> None:
    cell = line_cell(trials=3, timeout_s=TIMEOUT_S if kind in ("hang", "drip") else 20)
    with MisbehavingServer(first(kind)) as server:
        asked = ask(server, tmp_path, cell, in_flight=1)
    assert (asked.answered, asked.failures) == (3, {})
    assert len(server.reactions) == 4
    assert len(replies(Tape(tmp_path), cell)) == 3


@pytest.mark.parametrize(
    ("kind", "cause", "attempts"),
    [
        ("rate_limit", "rate_limit", 10),
        ("overloaded", "overloaded", 10),
        ("server_error", "server_error", 5),
        ("bad_gateway", "server_error", 5),
        ("reset", "connection", 5),
        ("reset_at_once", "connection", 5),
        ("truncated", "malformed_answer", 3),
        ("html", "malformed_answer", 3),
        ("hang", "timeout", 3),
        ("drip", "timeout", 3),
        ("refused", "refused_request", 1),
    ],
)
def test_what_never_passes_is_a_typed_failure_of_its_trial(
    kind: str, cause: str, attempts: int, tmp_path: Path
) -> None:
    """What may pass is tried as often once more, when the other trial has ended."""
    cell = line_cell(trials=2, timeout_s=TIMEOUT_S if cause == "timeout" else 20)
    [bad, _] = [trial.build().user for trial in cell.each_trial()]
    with MisbehavingServer(lambda number, body: Reaction(kind if prompt_of(body) == bad else "right")) as server:
        asked = ask(server, tmp_path, cell, in_flight=1)
    assert (asked.answered, asked.stopped) == (1, None)
    assert [failure.cause for failure in asked.failures.values()] == [cause]
    assert sum(reaction == kind for _, reaction in server.reactions) == attempts * (1 if kind == "refused" else 2)
    assert len(replies(Tape(tmp_path), cell)) == 1


@pytest.mark.parametrize(("kind", "attempts"), [("server_error", 5), ("truncated", 3)])
def test_what_failed_is_sent_again_before_the_run_ends(kind: str, attempts: int, tmp_path: Path) -> None:
    """The server answers the first trial only after all of the others."""
    cell = line_cell(trials=6)
    bad = next(cell.each_trial()).build().user
    others: set[str] = set()

    def script(number: int, body: Body) -> Reaction:
        others.add(prompt_of(body))
        return Reaction(kind if prompt_of(body) == bad and len(others) < 6 else "right")

    with MisbehavingServer(script) as server:
        asked = ask(server, tmp_path, cell, in_flight=1)
    assert (asked.answered, asked.failures, asked.stopped) == (6, {}, None)
    assert len(server.reactions) == attempts + 6
    assert len(replies(Tape(tmp_path), cell)) == 6


def test_a_server_that_answers_nothing_is_not_asked_again(tmp_path: Path) -> None:
    with MisbehavingServer(lambda number, body: Reaction("server_error")) as server:
        asked = ask(server, tmp_path, line_cell(trials=3), in_flight=1)
    assert len(asked.failures) == 3
    assert len(server.reactions) == 15


def test_what_is_refused_for_all_is_asked_forty_times(tmp_path: Path) -> None:
    """At most the requests that were in flight already reach the server beside it."""
    with MisbehavingServer(lambda number, body: Reaction("refused")) as server:
        asked = ask(server, tmp_path, line_cell(trials=300), in_flight=2)
    assert asked.stopped is not None
    assert asked.stopped.message.startswith("40 trials in a row were not answered, so the run stopped. The last: ")
    assert 40 <= len(server.reactions) <= 41
    assert len(asked.failures) == 300


def test_once_the_asking_stopped_what_is_ready_is_not_sent_and_nothing_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first refusal arrives, new requests may take the places of those that were in flight."""
    for name in ("FIRST_PAUSE_S", "LONGEST_PAUSE_S"):
        monkeypatch.setattr(f"longctx.live.attempts.{name}", 3600)
    with MisbehavingServer(lambda number, body: Reaction("bad_key" if number else "server_error")) as server:
        asked = ask(server, tmp_path, line_cell(trials=60), in_flight=8, limit_s=60)
    assert asked.stopped is not None
    assert asked.stopped.cause == "bad_key"
    assert len(server.reactions) <= 16
    assert len(asked.failures) == 60


def test_patience_is_of_all_rounds(tmp_path: Path) -> None:
    cell = line_cell(trials=60)
    tape, bounds = Tape(tmp_path, "once"), Bounds.of(2)

    async def rounds(server: MisbehavingServer) -> list[SendResult]:
        trials = missing(tape, [cell])
        async with open_client(tape, server.url, 2) as client:
            return [await ask_all(client, tape, trials[:20], bounds, Silent()) for _ in range(3)]

    with MisbehavingServer(lambda number, body: Reaction("refused")) as server:
        first, second, third = asyncio.run(rounds(server))
    assert (first.stopped, bool(second.stopped), bool(third.stopped)) == (None, True, True)


def test_a_refused_server_is_asked_less_at_once(tmp_path: Path) -> None:
    """Eight requests are sent at once, and the server refuses all beyond three."""

    def script(number: int, body: Body) -> Reaction:
        return Reaction("rate_limit" if server.open >= 3 else "right", {"retry-after-ms": "1"})

    cell = line_cell(trials=60)
    with MisbehavingServer(script, latency_s=0.01) as server:
        asked = ask(server, tmp_path, cell, in_flight=8)
    assert (asked.answered, asked.failures) == (60, {})
    late = [kind for _, kind in server.reactions[-40:]]
    assert late.count("rate_limit") <= 12
    assert set(server.paid.values()) == {1}


def test_a_rate_limit_that_is_used_up_is_waited_for(tmp_path: Path) -> None:
    """The server's bucket of ten fills in three seconds, so room for one request comes after 0.3 seconds."""
    headers = {
        "date": "Sun, 22 Nov 2026 10:00:00 GMT",
        "anthropic-ratelimit-requests-limit": "10",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-22T10:00:03Z",
    }
    with MisbehavingServer(lambda number, body: Reaction("right", headers if number == 0 else {})) as server:
        asked = ask(server, tmp_path, line_cell(trials=3), in_flight=1)
    assert asked.answered == 3
    came = [at for at, _ in server.reactions]
    assert came[1] - came[0] >= 0.3


def test_a_long_reply_needs_no_stream(tmp_path: Path) -> None:
    """The SDK by itself refuses to ask for such a long reply without a stream."""
    with MisbehavingServer() as server:
        asked = ask(server, tmp_path, line_cell(trials=1, thinking_tokens=100_000))
    assert (asked.answered, asked.failures) == (1, {})


def storm(share: float, seed: int) -> Script:
    """Return a script with every kind of fault, in this share of the reactions."""
    lots = random.Random(seed)
    kinds = [kind for kind in FAULTS if kind not in ("huge", "hang", "drip")]
    return lambda number, body: Reaction(lots.choice(kinds) if lots.random() < share else "zipped")


@pytest.mark.parametrize("seed", range(3))
def test_in_a_storm_no_trial_is_lost_and_none_is_asked_twice_once_answered(seed: int, tmp_path: Path) -> None:
    cell = line_cell(trials=80)
    with MisbehavingServer(storm(0.4, seed)) as server:
        asked = ask(server, tmp_path, cell, in_flight=16)
    assert asked.answered + len(asked.failures) == 80
    assert len(replies(Tape(tmp_path), cell)) == asked.answered
    assert (tmp_path / cell.file).read_bytes().count(b"\n") == asked.answered
    good = sum(kind == "zipped" for _, kind in server.reactions)
    assert good == asked.answered
    spoilt = sum(kind in PAID and kind != "zipped" for _, kind in server.reactions)
    assert sum(server.paid.values()) == good + spoilt
