"""`lock = false`: recording, and writing a report, where a folder cannot be locked."""

from __future__ import annotations

import signal

from longctx.results.run_folders import only_reporter
from tests.integration.conftest import RECORD_ONLY, Checkout
from tests.servers import SimulatedServer


def test_cassettes_that_cannot_be_locked_are_refused_before_anything_is_asked(
    checkout: Checkout, server: SimulatedServer
) -> None:
    checkout.file("cassettes/.lock").mkdir(parents=True)
    refused = checkout.record(server)
    assert refused.code == 4
    assert refused.says("[not-lockable]", "lock = false")
    assert not server.asked
    checkout.settings(lock=False)
    assert checkout.record(server).code == 0
    assert len(server.asked) == 4


def test_two_runs_do_not_write_one_report(recorded: Checkout) -> None:
    with only_reporter(recorded.file("mine")):
        refused = recorded.pytest("--ctx-report=mine", "-n1")
        assert (refused.code, refused.says("[report-locked]", "mine")) == (4, True)
        assert [path.name for path in recorded.file("mine").iterdir()] == [".lock"]
    assert recorded.pytest("--ctx-report=mine", "-n1").code == 0
    assert len(recorded.rows("mine")) == 4
    assert not recorded.file("mine/.lock").exists()


def test_a_report_folder_that_cannot_be_locked(recorded: Checkout) -> None:
    recorded.file("mine/.lock").mkdir(parents=True)
    refused = recorded.pytest("--ctx-report=mine")
    assert (refused.code, refused.says("[not-lockable]", "two runs could mix their rows")) == (4, True)
    recorded.settings(lock=False)
    assert recorded.pytest("--ctx-report=mine").code == 0
    assert len(recorded.rows("mine")) == 4


def test_a_killed_run_keeps_no_lock(checkout: Checkout, server: SimulatedServer) -> None:
    server.hold_after = 0
    pid = checkout.start(f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-report=mine")
    server.wait_for(1)
    assert checkout.kill(pid).code == -signal.SIGKILL
    server.release.set()
    assert checkout.record(server, "--ctx-report=mine").code == 0


def test_a_folder_made_for_the_lock_goes_with_it(checkout: Checkout) -> None:
    assert checkout.pytest("--ctx-report=new/mine", "--ctx-record=none", env=RECORD_ONLY).code == 4
    assert not checkout.file("new").exists()


def test_two_merges_do_not_write_one_run(recorded: Checkout) -> None:
    run = next(iter(recorded.runs()))
    with only_reporter(recorded.file("both")):
        refused = recorded.longctx("merge", run, "--out=both", "--no-page")
    assert refused.code != 0
    assert not recorded.file("both").exists()
