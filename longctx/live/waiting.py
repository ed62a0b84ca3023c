"""A wait is told: nobody should look at a terminal that says nothing, and not know why."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

Say = Callable[[str], object]

DELAY_S = 2.0
"""What takes longer is said to be waited for."""


@contextlib.contextmanager
def waiting(say: Say, what: str) -> Iterator[None]:
    """Say what is waited for, if it takes longer than DELAY_S. By a thread, since much of it blocks this one."""
    timer = threading.Timer(DELAY_S, say, (f"Waiting for {what} …",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
