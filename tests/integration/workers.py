"""Forks the workers of xdist as forking.py forks the runs: each is a process of its own, without a second of imports.

The workers are forked from a process that was itself forked before the run began, so they hold no state of the run.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from typing import Any

import execnet.gateway_io
from execnet.gateway_base import Popen2IO


def fork_workers() -> None:
    """Make execnet fork the workers of this process from a copy of this process as it is now."""
    near_end, far_end = socket.socketpair()
    if os.fork() == 0:
        near_end.close()
        _serve(far_end)
        return
    far_end.close()

    class Forked(Popen2IO):
        """A forked worker, in place of execnet's Popen2IOMaster, which starts an interpreter."""

        def __init__(self, args: list[str], execmodel: Any) -> None:
            (stdin, to_it), (from_it, stdout), (self._end, alive) = os.pipe(), os.pipe(), os.pipe()
            socket.send_fds(near_end, [b"fork"], [stdin, stdout, alive])
            self._pid = int(near_end.recv(20))
            for file in (stdin, stdout, alive):
                os.close(file)
            super().__init__(os.fdopen(to_it, "wb"), os.fdopen(from_it, "rb"), execmodel=execmodel)

        def wait(self) -> None:
            """Wait until the worker has ended, which closes the pipe that only it holds open."""
            os.read(self._end, 1)

        def kill(self) -> None:
            os.kill(self._pid, signal.SIGKILL)

    execnet.gateway_io.Popen2IOMaster = Forked  # type: ignore[assignment,misc]


def _serve(requests: socket.socket) -> None:
    """Fork a worker for each request until the run ends. Returns only in a worker, once its work is done."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        word, files, *_ = socket.recv_fds(requests, 10, 3)
        if not word:
            os._exit(0)
        if (pid := os.fork()) == 0:
            break
        requests.send(str(pid).encode())
        for file in files:
            os.close(file)
    requests.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(files[:2]):
        os.dup2(file, number)
        os.close(file)
    sys.path[0], sys.argv = "", ["-c"]
    exec(eval(sys.stdin.readline()), {"__name__": "__main__"})  # as the real one does
    sys.exit()
