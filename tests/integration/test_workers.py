"""Workers: the same rows with any number of them; a recording that is killed or interrupted loses nothing."""

from __future__ import annotations

import os
import signal

import pytest

from tests.integration.conftest import LINES, NO_TEXT, PASSKEY, Checkout, Result, without_run
from tests.integration.listening import Listening
from tests.servers import SimulatedServer


def test_workers_measure_what_one_process_does(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.record(server, "-k", "not lines-5")  # some trials are missing
    rows = []
    for workers in ("-n0", "-n2"):
        result = checkout.pytest(workers)
        assert (result.code, result.says("1 failed, 3 passed")) == (1, True)
        rows.append(without_run(checkout.rows()))
    assert len(rows[0]) == 8
    assert rows[0] == rows[1]


def test_a_trial_that_each_worker_measures_counts_once(recorded: Checkout) -> None:
    asked = without_run(recorded.rows())
    result = recorded.pytest("-n2", "--dist=each")
    assert (result.code, result.says("4 replayed", "4 passed")) == (0, True)
    assert without_run(recorded.rows()) == [{**row, "source": "replayed"} for row in asked]


def test_a_killed_recording_loses_nothing(checkout: Checkout, server: SimulatedServer) -> None:
    """kill -9 while the third of four questions is under way: only it and the fourth are asked again."""
    server.hold_after = 2
    once = (f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-concurrency=1")
    pid = checkout.start(*once)
    server.wait_for(3)
    assert checkout.kill(pid).code == -signal.SIGKILL
    assert checkout.episodes() == 2
    server.release.set()
    result = checkout.pytest(*once, "-n2")
    assert result.code == 0
    assert result.says("2 of 4 trials need a request", "Asked 2 of 2 trials", "2 live, 2 replayed")
    assert len(server.asked) == 5


def test_an_interrupted_recording_ends_and_keeps_what_it_has(checkout: Checkout, server: SimulatedServer) -> None:
    """The run is interrupted by SIGINT twice, as by Ctrl-C."""
    result = interrupted(checkout, server, "--ctx-record=once")
    assert result.says(
        "Stopped: 2 of 4 trials were answered and are recorded, so the same command sends only the other 2. Requests "
        "in flight are lost, and may be billed."
    )
    assert checkout.episodes() == 2


@pytest.mark.parametrize(
    ("mode", "env", "kept"),
    [
        ("all", {}, "and are recorded. The same command would send all again (record mode all)"),
        ("once", NO_TEXT, "but nothing is kept without text, so the same command sends all again."),
    ],
)
def test_what_an_interrupted_recording_promises_holds(
    checkout: Checkout, server: SimulatedServer, mode: str, env: dict[str, str], kept: str
) -> None:
    result = interrupted(checkout, server, f"--ctx-record={mode}", env=env)
    assert result.says(f"Stopped: 2 of 4 trials were answered {kept}")


def test_a_recording_that_is_interrupted_before_it_asks(checkout: Checkout, server: SimulatedServer) -> None:
    server.held = ("/v1/models",)
    pid = checkout.start(f"--ctx-base-url={server.url}", "--ctx-record=once")
    server.wait_for(1, "/v1/models/toy")
    os.kill(pid, signal.SIGINT)
    result = checkout.wait()
    assert result.code == 2
    assert result.says("Stopped: no requests were sent.")
    assert "KeyboardInterrupt" not in result.out + result.err


def test_a_recording_that_is_interrupted_while_it_collects(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("tests_longctx/test_slow.py").write_text("raise KeyboardInterrupt")
    result = checkout.record(server)
    assert result.code == 2
    assert result.says("Stopped: no requests were sent.")
    assert not server.received


def interrupted(
    checkout: Checkout, server: SimulatedServer, *arguments: str, env: dict[str, str] | None = None
) -> Result:
    """Interrupt a run twice while the third of four questions is under way, and return its result."""
    server.hold_after = 2
    with Listening(checkout, f"--ctx-base-url={server.url}", "--ctx-concurrency=1", *arguments, env=env) as run:
        server.wait_for(3)
        run.signal(signal.SIGINT)
        run.until("Stopping: ")
        run.signal(signal.SIGINT)
        result = run.end()
    assert result.code == 2
    assert "KeyboardInterrupt" not in result.out
    assert "!!!" not in result.out
    return result


def test_a_line_cut_short_is_asked_again(recorded: Checkout, server: SimulatedServer) -> None:
    file = recorded.file("cassettes/toy/line_retrieval/lines-5.jsonl")
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    result = recorded.pytest("-n2")
    assert result.code == 1
    assert result.says("1 of 2 trials have no recording", "A killed run cut its last line short.")
    assert file.read_bytes() == whole[:-20]
    assert recorded.record(server).says("Asked 1 of 1 trials")
    assert file.read_bytes().splitlines()[0] == whole.splitlines()[0]
    assert recorded.pytest().code == 0
