"""Code under test may not end the process that runs it, since the whole run would end with it.

Python reports a signal to its audit hooks before it is sent, but not `os._exit`, which is replaced while a trial runs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from longctx.connections import Guard
from longctx.functions.trial import mistake

Handler = Callable[[int, FrameType | None], Any] | int | None
NAMES = "SIGKILL", "SIGTERM", "SIGINT", "SIGABRT", "SIGQUIT", "SIGHUP", "SIGSTOP"
SIGNALS = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))
"""The signals that end or stop a process which does not handle them."""
SENDS = "os.kill", "os.killpg"
"""The events of signals: their arguments are a process or a group of processes, and the signal."""

_now: list[KeptProcess] = []
"""The trials that run, the innermost last."""
_hooked: list[bool] = []


@dataclass(frozen=True, slots=True, eq=False)
class KeptProcess:
    """A process that the code of a trial may not end."""

    trial: str
    """Its name in messages."""
    guard: Guard
    pid: int
    threads: frozenset[threading.Thread]
    """The threads that were there before the trial: pytest's and its plugins' own may end the process."""
    handlers: dict[int, Handler]
    """What handled the signals before the trial: code under test may send those that it handles itself."""

    def refuse(self, what: str) -> None:
        """Raise the refusal if this is code of the trial, and its process rather than one that it has forked."""
        thread = threading.current_thread()
        if os.getpid() != self.pid or (thread in self.threads and thread is not threading.main_thread()):
            return
        error = mistake(
            "process-ended",
            f"{self.trial}: the code under test calls {what}, which would end the process of the tests. All answers so "
            "far are recorded. Run this code in a subprocess, or replace the call in the test.",
        )
        self.guard.refused.append(error)
        raise error

    def check_signal(self, receiver: int, number: int) -> None:
        is_own = receiver in (self.pid, 0, -1) or (os.name == "posix" and abs(receiver) == os.getpgrp())
        if is_own and number in self.handlers and signal.getsignal(number) == self.handlers[number]:
            self.refuse(f"os.kill with {signal.Signals(number).name}")


@contextlib.contextmanager
def kept(trial: str, guard: Guard) -> Iterator[None]:
    """Keep the process while code of a trial runs. guard: that of its test, which remembers what code catches."""
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked.append(True)
    handlers: dict[int, Handler] = {number: signal.getsignal(number) for number in SIGNALS}
    kept = KeptProcess(trial, guard, os.getpid(), frozenset(threading.enumerate()), handlers)
    leave = os._exit

    def refused(status: int) -> NoReturn:
        kept.refuse("os._exit")
        leave(status)

    _now.append(kept)
    os._exit = refused
    try:
        yield
    finally:
        os._exit = leave
        _now.remove(kept)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _now and event in SENDS:
        _now[-1].check_signal(*arguments)
