"""Workers that are forked as the runs are (see forking.py): each is a process of its own, as xdist starts it, without
a second of imports.

They are forked from a process that was itself forked before the run began: nothing of the run is in them.
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
    """Have execnet fork the workers of this process from one that is as this process is now."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        _serve(theirs)
        return
    theirs.close()

    class Forked(Popen2IO):
        """Takes the place of execnet's Popen2IOMaster."""

        def __init__(self, args: list[str], execmodel: Any) -> None:
            (stdin, to_it), (from_it, stdout), (self._end, alive) = os.pipe(), os.pipe(), os.pipe()
            socket.send_fds(ours, [b"fork"], [stdin, stdout, alive])
            self._pid = int(ours.recv(20))
            for file in (stdin, stdout, alive):
                os.close(file)
            super().__init__(os.fdopen(to_it, "wb"), os.fdopen(from_it, "rb"), execmodel=execmodel)

        def wait(self) -> None:
            """Until it has ended, and so has closed what it alone holds open."""
            os.read(self._end, 1)

        def kill(self) -> None:
            os.kill(self._pid, signal.SIGKILL)

    execnet.gateway_io.Popen2IOMaster = Forked  # type: ignore[assignment,misc]


def _serve(asked: socket.socket) -> None:
    """Fork a worker each time, until the run ends. Returns as a worker that has ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        word, files, *_ = socket.recv_fds(asked, 10, 3)
        if not word:
            os._exit(0)
        if (pid := os.fork()) == 0:
            break
        asked.send(str(pid).encode())
        for file in files:
            os.close(file)
    asked.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(files[:2]):
        os.dup2(file, number)
        os.close(file)
    sys.path[0], sys.argv = "", ["-c"]
    exec(eval(sys.stdin.readline()), {"__name__": "__main__"})  # as the real one does
    sys.exit()
