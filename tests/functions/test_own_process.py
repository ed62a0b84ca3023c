"""What would end the process of the tests is refused while a trial runs."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from longctx.connections import Guard
from longctx.functions.own_process import kept
from longctx.functions.trial import TestMistake, mistake

TRIAL = "test_it, trial 0"


@pytest.fixture
def guard() -> Guard:
    return Guard((), set(), lambda host: mistake("connection-refused", host))


@pytest.mark.parametrize(
    ("end", "named"),
    [
        (lambda: os._exit(0), "os._exit"),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), "os.kill with SIGTERM"),
        (lambda: os.kill(os.getpid(), signal.SIGINT), "os.kill with SIGINT"),
        pytest.param(
            lambda: os.killpg(os.getpgrp(), signal.SIGKILL),
            "os.kill with SIGKILL",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such groups"),
        ),
    ],
)
def test_what_would_end_the_process_is_a_mistake_that_no_code_handles(
    end: Callable[[], object], named: str, guard: Guard
) -> None:
    leave = os._exit
    with kept(TRIAL, guard), pytest.raises(TestMistake, match="process-ended"):
        end()
    assert os._exit is leave
    assert f"{TRIAL}: the code under test calls {named}, which would end" in str(guard.taken())


def test_other_signals_are_sent(guard: Guard) -> None:
    came: list[int] = []
    before = signal.getsignal(signal.SIGTERM)
    with kept(TRIAL, guard):
        try:
            signal.signal(signal.SIGTERM, lambda number, frame: came.append(number))
            signal.raise_signal(signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
            if sys.platform != "win32":
                os.kill(os.getpid(), 0)
        finally:
            signal.signal(signal.SIGTERM, before)
    assert came
    assert not guard.refused


def test_threads_of_a_trial_may_not_end_the_process_and_those_of_pytest_may(
    guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as pytest-timeout's timer, and execnet's when the controller is gone."""
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    with ThreadPoolExecutor(1) as earlier:
        earlier.submit(threading.get_ident).result()
        with kept(TRIAL, guard), ThreadPoolExecutor(1) as own:
            earlier.submit(os._exit, 3).result()
            with pytest.raises(TestMistake):
                own.submit(os._exit, 4).result()
    assert left == [3]


def test_a_forked_process_may_end_itself(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    own = os.getpid()
    with kept(TRIAL, guard):
        monkeypatch.setattr(os, "getpid", lambda: own + 1)
        os._exit(3)
    assert left == [3]
