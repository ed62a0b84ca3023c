"""The messages to a user who stops an asking pass."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from longctx.errors import Interrupted
from longctx.live.bounds import Bounds
from longctx.live.failure import Failure, SendResult
from longctx.live.interrupted import Halt, sentence
from longctx.live.progress import Silent
from longctx.live.run import Sending, ending
from longctx.live.server.client import Clients
from longctx.recording.tape import Tape
from tests.recording.examples import AT, answer, line_cell, place

LOST = "Requests in flight are lost, and may be billed."


def stopped(folder: Path, mode: str, private: Path | None = None) -> str:
    """Return the sentence about a run that its user stops after one of three answers."""
    tape = Tape(folder, mode, write_to=private)
    tape.record(place(line_cell()), answer(), AT, 0.1)
    return sentence(tape, 3)


@pytest.mark.parametrize("mode", ["once", "new_episodes"])
def test_the_rest_is_asked_by_the_same_command(tmp_path: Path, mode: str) -> None:
    assert stopped(tmp_path, mode) == (
        "Stopped: 1 of 3 trials were answered and are recorded, so the same command sends only the other 2. " + LOST
    )


def test_mode_all_asks_everything_again(tmp_path: Path) -> None:
    assert "would send all again (record mode all)" in stopped(tmp_path, "all")


def test_without_text_nothing_is_kept(tmp_path: Path) -> None:
    assert "nothing is kept without text" in stopped(tmp_path / "tape", "once", tmp_path / "private")


def test_before_anything_was_asked(tmp_path: Path) -> None:
    assert sentence(Tape(tmp_path, "once"), 0) == "Stopped: no requests were sent."


def test_a_stopped_pass_ends_once_what_was_in_flight_is_recorded(tmp_path: Path) -> None:
    tape, bounds = Tape(tmp_path, "once"), Bounds.of(1)

    async def send() -> SendResult:
        return await Sending(Clients({}), tape, bounds, Silent()).directly([])

    assert asyncio.run(send()) == SendResult()
    bounds.halt.requested, bounds.halt.to_ask = True, 3
    with pytest.raises(Interrupted, match="3 trials were answered"):
        asyncio.run(send())


def test_where_trials_failed_it_is_said_what_sends_the_rest(tmp_path: Path) -> None:
    tape, failed = (
        Tape(tmp_path, "once"),
        SendResult(failures={("a",): Failure("overloaded", "the server was overloaded")}),
    )
    assert list(ending("1 of 2 trials", failed, tape))[-1] == "The same command sends only the rest."
    stopped = replace(failed, stopped=Failure("refused", "the key is refused", fatal=True))
    assert "The same command sends only the rest." not in list(ending("1 of 2 trials", stopped, tape))


def test_a_signal_that_is_ignored_or_handled_by_another_program_stays_so() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    theirs = (signal.SIG_IGN, lambda number, frame: None)

    async def handlers() -> tuple[object, object]:
        with Halt().on_signals(print):
            return signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)

    try:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), theirs, strict=True):
            signal.signal(number, handler)
        assert asyncio.run(handlers()) == theirs
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        assert asyncio.run(handlers())[1] not in (*theirs, signal.SIG_DFL)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
