"""`longctx data questions write`, stopped and killed: what was answered is kept, and only the rest is asked."""

from __future__ import annotations

import signal

from tests.cli.questions.examples import notice, writer
from tests.corpus.examples import write_folder
from tests.integration.conftest import Checkout
from tests.integration.listening import Listening
from tests.servers import SimulatedServer


def test_a_killed_run_is_resumed(checkout: Checkout) -> None:
    files = {f"d{n}.txt": notice(n) for n in range(1, 5)}
    write_folder(checkout.file("docs"), {**files, "corpus.toml": "min_tokens = 0"})
    command = ("data", "questions", "write", "--corpus=docs", "--model=toy", "--per-section=2", "--out=mine.jsonl")
    with SimulatedServer(writer, hold_after=1) as server:
        live = ("--record=once", f"--base-url={server.url}")
        with Listening(checkout, "longctx", *command, *live, "--concurrency=1") as run:
            server.wait_for(2)
            run.signal(signal.SIGINT)
            run.until("Stopping: ")
            run.signal(signal.SIGINT)
            stopped = run.end()
        assert stopped.code == 2
        assert stopped.says(
            "Stopped: 1 of 4 trials were answered and are recorded, so the same command sends only the other 3."
        )
        server.hold_after = 3
        pid = checkout.start_longctx(*command, *live, "--concurrency=1")
        server.wait_for(4)
        checkout.kill(pid)
        assert checkout.episodes() == 2
        assert not checkout.file("mine.jsonl").exists()
        server.hold_after = None
        server.release.set()
        resumed = checkout.longctx(*command, *live)
        assert resumed.code == 0, resumed.err
        assert resumed.says("2 of 4 trials need a request", "Asked 2 of 2", "questions written 8")
        assert len(server.asked) == 6
    first = checkout.file("mine.jsonl").read_bytes()
    replayed = checkout.longctx(*command)
    assert replayed.code == 0, replayed.err
    assert checkout.file("mine.jsonl").read_bytes() == first
