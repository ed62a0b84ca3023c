"""What code of a trial has left running: threads that are not idle, and processes."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from longctx.endpoint.server import THREAD

WAITING = (
    *(f"{os.sep}threading.py", f"{os.sep}queue.py"),
    *(f"concurrent{os.sep}futures{os.sep}", f"anyio{os.sep}_backends{os.sep}"),
)
"""Parts of the paths of the modules in which a thread of a pool waits for work."""
TASKS = Path("/proc/self/task")
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec")
"""The events of processes that start."""


@dataclass(slots=True, eq=False)
class Leftovers:
    """What ran when a trial began, to tell from it what its code has left."""

    threads: frozenset[threading.Thread] = field(default_factory=lambda: frozenset(threading.enumerate()))
    children: frozenset[str] | None = None
    """The processes before the first one that the code has started."""
    has_started_process: bool = False

    def note_start(self) -> None:
        """Note that a process is about to start."""
        if not self.has_started_process:
            self.has_started_process, self.children = True, running_children()

    def are_there(self) -> bool:
        """Return whether code of the trial may still run."""
        if self.has_started_process:
            running = running_children()
            if running is None or self.children is None or running - self.children:
                return True
        frames = sys._current_frames()
        left = (thread for thread in threading.enumerate() if thread not in self.threads and thread.name != THREAD)
        return any(_runs_code(frames.get(thread.ident or 0)) for thread in left)


def _runs_code(frame: FrameType | None) -> bool:
    """Return whether a thread runs code, rather than waiting for work in a pool. frame: the innermost of its stack."""
    while frame is not None:
        if not any(part in frame.f_code.co_filename for part in WAITING):
            return True
        frame = frame.f_back
    return False


def running_children() -> frozenset[str] | None:
    """Return the ids of the processes that this one has started and that run; None if the system does not tell."""
    pids: set[str] = set()
    for task in TASKS.iterdir() if TASKS.is_dir() else ():
        try:
            pids.update((task / "children").read_text().split())
        except OSError:
            if task.is_dir():  # its thread has not ended: this system does not tell
                return None
    return frozenset(filter(_runs, pids)) if TASKS.is_dir() else None


def _runs(pid: str) -> bool:
    """Return whether a process has not ended, though nobody may have waited for it yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return False
    return state[:1] != ["Z"]
