"""Single requests that are asked from another thread."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
import traceback
from concurrent.futures import _base
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.live.asker import Asker
from longctx.live.bounds import Terms
from longctx.live.display import Tally
from longctx.live.failure import Failure
from longctx.recording.apis.messages import COUNT_PATH
from longctx.recording.request import Request
from longctx.recording.tape import Tape
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.protocol_cell import Suspended
from tests.functions.examples import MODEL, body_of, cell_of, exchanged, trial_of
from tests.given import dollars, served
from tests.servers import PATIENCE, SimulatedServer, failing, giving, saying

DEAR = ModelProfile(model="toy", prices=dollars(1_000_000))

pytestmark = pytest.mark.usefixtures("without_delay")


server = served(saying("yes"))


def asker_of(server: SimulatedServer, tape: Tape, in_flight: int = 2, **more: Any) -> Asker:
    model = more.pop("model", MODEL)
    said = more.get("said", lambda sentence: None)
    return Asker(tape, [model], Terms(server.url, in_flight, more.get("cap")), Tally(3), said)


def request(tape: Tape, text: str = "a", counts: bool = False, model: ModelProfile = MODEL, **more: Any) -> Request:
    cell = cell_of(model=model)
    trial = trial_of(cell, tape=tape)
    body = body_of(text) | more
    if counts:
        del body["max_tokens"]
    with pytest.raises(Suspended):
        exchanged(trial, body, model=model, path=COUNT_PATH if counts else "")
    return trial.unanswered[0]


def test_an_answer_is_on_the_tape_before_the_caller_has_it(server: SimulatedServer, tape: Tape) -> None:
    with asker_of(server, tape) as asker:
        asked = request(tape)
        reply = asker.submit(asked).result()
        assert isinstance(reply, Answer)
        assert reply.text == "yes"
        assert tape.status(asked.place) == "found"
        assert Tape(tape.written_to).status(asked.place) == "found"


def test_a_failure_for_a_passing_reason_is_sent_again(server: SimulatedServer, tape: Tape) -> None:
    server.script = lambda body: (failing(529) if len(server.asked) == 1 else saying("yes"))(body)
    with asker_of(server, tape) as asker:
        assert isinstance(asker.submit(request(tape)).result(), Answer)
    assert len(server.asked) == 2


def test_a_fatal_failure_ends_the_asking(server: SimulatedServer, tape: Tape) -> None:
    server.script = failing(401)
    with asker_of(server, tape) as asker:
        first = asker.submit(request(tape)).result()
        second = asker.submit(request(tape, "b")).result()
    assert isinstance(first, Failure)
    assert first.cause == "bad_key"
    assert second == asker.asked.stopped == first
    assert len(server.asked) == 1


def test_the_cap_leaves_no_room(server: SimulatedServer, tape: Tape) -> None:
    with asker_of(server, tape, model=DEAR, cap=0.5) as asker:
        result = asker.submit(request(tape, model=DEAR)).result()
    assert isinstance(result, Failure)
    assert result.cause == "budget"
    assert server.asked == []


def test_the_cap_reserves_a_compaction(server: SimulatedServer, tape: Tape) -> None:
    edits = [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 1}}]
    plain, compacted = (request(tape, model=DEAR, context_management={"edits": some}) for some in ([], edits))
    cap = 1.5 * compacted.tokens.prompt
    with asker_of(server, tape, model=DEAR, cap=cap) as asker:
        assert isinstance(refused := asker.submit(compacted).result(), Failure)
        assert refused.cause == "budget"
        assert server.asked == []
    with asker_of(server, tape, model=DEAR, cap=cap) as asker:
        assert isinstance(asker.submit(plain).result(), Answer)


def test_a_cap_without_prices_is_refused(server: SimulatedServer, tape: Tape) -> None:
    with pytest.raises(UserError, match="--ctx-max-cost needs prices"):
        asker_of(server, tape, cap=1.0)


def test_an_address_that_is_none_is_a_sentence(tape: Tape) -> None:
    with pytest.raises(UserError), Asker(tape, [MODEL], Terms("nonsense", 1), Tally(1), lambda sentence: None):
        raise AssertionError("it was entered")


def test_a_count_of_tokens_is_recorded(server: SimulatedServer, tape: Tape) -> None:
    asked = request(tape, counts=True)
    with asker_of(server, tape) as asker:
        assert asker.submit(asked).result() is None
    assert tape.count(asked.place)["input_tokens"] > 0
    assert server.asked == []


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b"{}", b'{"input_tokens": "9"}', b'{"input_tokens": -1}', b"[" * 100_000, b'{"a":1'],
)
def test_a_hostile_count_is_not_recorded(server: SimulatedServer, tape: Tape, payload: bytes) -> None:
    server.counting = giving(payload)
    asked = request(tape, counts=True)
    with asker_of(server, tape) as asker:
        assert isinstance(asker.submit(asked).result(), Failure)
    assert tape.status(asked.place) == "missing"


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b"[" * 100_000, b'{"content": [{"type": "text"}]}'])
def test_a_hostile_answer_is_a_failure(server: SimulatedServer, tape: Tape, payload: bytes) -> None:
    server.script = giving(payload)
    asked = request(tape)
    with asker_of(server, tape) as asker:
        result = asker.submit(asked).result()
    assert isinstance(result, Failure)
    assert result.cause == "malformed_answer"
    assert tape.status(asked.place) == "missing"


def test_a_full_disk_is_a_failure_of_counts_and_answers(
    server: SimulatedServer, tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, line: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("longctx.recording.tape.append_line", full)
    with asker_of(server, tape) as asker:
        for counts in (True, False):
            result = asker.submit(request(tape, counts=counts)).result()
            assert isinstance(result, Failure)
            assert "No space left on device" in result.message


def test_halting_says_what_is_in_flight_and_keeps_it(server: SimulatedServer, tape: Tape) -> None:
    server.hold_after = 0
    said: Queue[str] = Queue()
    with asker_of(server, tape, in_flight=1, said=said.put) as asker:
        futures = [asker.submit(request(tape, text)) for text in "ab"]
        server.wait_for(1)
        asker.halt()
        assert said.get(timeout=PATIENCE).startswith(
            "Stopping: no more requests are sent. Waiting for 1 in flight, for up"
        )
        server.release.set()
        results = [future.result() for future in futures]
    assert isinstance(results[0], Answer)
    assert isinstance(results[1], Failure)
    assert len(server.asked) == 1


def test_a_signal_that_wakes_no_lock_is_handled(server: SimulatedServer, tape: Tape) -> None:
    """Another thread receives it, as one that comes just before the main thread begins to wait."""
    server.hold_after = 0
    done: list[bool] = []
    main = threading.get_ident()

    def handle(*_: object) -> None:
        done.append(future.done())
        server.release.set()

    def waits() -> bool:
        frames = traceback.extract_stack(sys._current_frames()[main])
        return (frames[-1].filename, frames[-3].filename) == (threading.__file__, _base.__file__)

    def kill() -> None:
        while not waits():
            pass
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        with asker_of(server, tape) as asker:
            future = asker.submit(request(tape))
            server.wait_for(1)
            threading.Thread(target=kill).start()
            asker.wait()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert done == [False]


def test_what_a_signal_kept_from_being_noted_is_waited_for(server: SimulatedServer, tape: Tape) -> None:
    """A signal may come when a request is submitted, and before who submits it has its future."""
    server.hold_after = 0
    with asker_of(server, tape) as asker:
        asker.submit(asked := request(tape))
        threading.Timer(0, lambda: (server.wait_for(1), server.release.set())).start()
        asker.wait()
        assert tape.status(asked.place) == "found"


def test_nothing_is_in_flight(server: SimulatedServer, tape: Tape) -> None:
    said: Queue[str] = Queue()
    with asker_of(server, tape, said=said.put) as asker:
        asker.halt()
        assert said.get(timeout=PATIENCE) == "Stopping: no more requests are sent."


def test_no_attempt_is_awaited_where_none_was_made(server: SimulatedServer, tape: Tape) -> None:
    """A test may take its time before it sends its first request, or between two."""

    async def awaited() -> str:
        return asker._asking._awaited()

    with asker_of(server, tape) as asker:
        for text in "ab":
            said = asyncio.run_coroutine_threadsafe(awaited(), asker._loop).result()
            assert said == "the next request; none is in flight"
            asker.submit(request(tape, text)).result()
