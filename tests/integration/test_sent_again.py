"""What a run could not send again is not measured, whatever is recorded of it, and a test's own time limit."""

from __future__ import annotations

import itertools
import os
import signal
from typing import Any

import pytest

from tests.integration.conftest import Checkout
from tests.integration.functions import ask, codes, judged
from tests.servers import Script, SimulatedServer, failing, right

FUNCTION = """
import pytest


@pytest.mark.longctx(trials=20)
def test_code(ask, draw):
    code = draw.integer(10_000, 99_999)
    assert ask(f"The refund code is {code}. What is the refund code?").integer() == code
"""
ALARMED = """
import signal

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    def fail(number, frame):
        if not frame.f_code.co_filename.endswith("threading.py"):  # it does not wait for an answer yet
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            return
        pytest.fail("Timeout (>4s) from pytest-timeout.")

    signal.signal(signal.SIGALRM, fail)
    return (yield)
"""
"""What pytest-timeout does when the time of a test is up: raise in it."""


def test_what_a_run_of_mode_all_could_not_send_is_not_measured_from_earlier_answers(checkout: Checkout) -> None:
    checkout.functions(FUNCTION)
    with SimulatedServer(codes) as server:
        assert ask(checkout, server, "--ctx-report=first").code == 0
        checkout.file("tests_longctx/conftest.py").write_text(ALARMED)
        server.received.clear()
        server.hold_after = 10
        live = f"--ctx-base-url={server.url}", "--ctx-record=all", "--ctx-model=toy", "--ctx-concurrency=1"
        checkout.profile('looks = "once"\nmodels = ["toy"]\n', name="once.toml")
        gated = "--ctx-baseline=first", "--ctx-profile=once.toml"
        pid = checkout.start("tests_longctx/test_functions.py", *live, *gated, profile=None)
        server.wait_for(11)
        os.kill(pid, signal.SIGALRM)
        stopped = checkout.wait()
    assert stopped.code == 12
    assert stopped.says("test_code[toy-protocol] could not be run: Failed: Timeout (>4s) from pytest-timeout."), (
        stopped.out
    )
    assert stopped.says("trials were not sent again, and their earlier answers do not count."), stopped.out
    outcomes = {(row["outcome"], row["source"]) for row in checkout.rows()}
    assert outcomes == {("correct", "live"), ("not_asked", None)}


TIMED = """
import pytest


class Hooks:
    @pytest.hookspec(firstresult=True)
    def pytest_timeout_set_timer(item, settings):
        pass


def pytest_addhooks(pluginmanager):
    pluginmanager.add_hookspecs(Hooks)


@pytest.hookimpl(trylast=True)
def pytest_timeout_set_timer(item, settings):
    item.module.TIMED = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    item.ihook.pytest_timeout_set_timer(item=item, settings=None)
    return (yield)
"""
"""A timer as pytest-timeout sets it, by its hook: here it is up at once."""
UP = """
import pytest

TIMED = False


@pytest.mark.longctx(trials=20)
def test_code(ask, draw):
    code = draw.integer(10_000, 99_999)
    reply = ask(f"The refund code is {code}. What is the refund code?")
    if TIMED and draw.integer(0, 5) == 0:
        pytest.fail("Timeout (>4s) from pytest-timeout.")
    assert reply.integer() == code
"""


def test_the_time_of_a_test_is_not_that_of_asking_and_a_trial_that_it_ends_is_not_wrong(checkout: Checkout) -> None:
    checkout.functions(UP)
    checkout.file("tests_longctx/conftest.py").write_text(TIMED)
    with SimulatedServer(codes) as server:
        asked = ask(checkout, server)
    assert asked.says("Asked 20 requests of 20 trials of test functions."), asked.out
    told = "the time limit of pytest-timeout ended a trial", "raise timeout, or set it to 0", "--timeout"
    assert asked.says(*told), asked.out
    assert asked.code == 1
    assert {row["outcome"] for row in checkout.rows()} == {"correct", "infra_error"}


LINES = """
[line_retrieval]
models = ["toy"]
lines = [3, 5]
orders = ["ordered"]
trials = 20
"""


def failing_after(number: int, script: Script) -> Script:
    """Return a script that answers so many requests, and refuses the key of all others."""
    came = itertools.count()
    return lambda body: script(body) if next(came) < number else failing(401)(body)


LOST = ("30 of 40 trials were not measured",), "30 of 40 trials need a request"
LOST_OF_FUNCTIONS = ("15 of 20 trials were not sent again", "with --ctx-record once"), "Asked 15 requests of 20 trials"


@pytest.mark.parametrize(
    ("looks", "script", "sent", "lost", "rest"),
    [("once", right, 10, *LOST), ("equal", right, 10, *LOST), (None, codes, 5, *LOST_OF_FUNCTIONS)],
    ids=["once", "equal", "functions"],
)
def test_a_replay_of_a_run_that_sent_a_part_again_is_invalid_as_that_was(
    checkout: Checkout, looks: str | None, script: Script, sent: int, lost: tuple[str, ...], rest: str
) -> None:
    """The test function, which has no profile, is asked where `looks` is None."""
    checkout.profile(f'looks = "{looks}"\n', LINES)
    checkout.functions(FUNCTION)
    given = (
        ("tests_longctx/test_line_retrieval.py",) if looks else ("tests_longctx/test_functions.py", "--ctx-model=toy")
    )
    of: dict[str, Any] = {"profile": "tiny.toml" if looks else None}
    gated = *given, "--ctx-baseline=first"
    checkout.options(margin=0.45)
    with SimulatedServer(script) as server:
        assert checkout.record(server, *given, "--ctx-report=first", **of).code == 0
        server.script = failing_after(sent, script)
        live = checkout.record(server, *gated, "--ctx-concurrency=1", mode="all", **of)
        verdict = judged(checkout)
        replayed = checkout.pytest(*gated, **of)
        assert replayed.says(*lost), replayed.out
        assert (replayed.code, judged(checkout)) == (live.code, verdict)
        assert live.code == 12
        server.script = script
        resumed = checkout.record(server, *gated, **of)
    assert resumed.says(rest), resumed.out
    verdict = judged(checkout)
    assert (checkout.pytest(*gated, **of).code, judged(checkout)) == (resumed.code, verdict)
    assert resumed.code == 0
