"""The message about a long wait, so that nobody looks at a silent terminal without knowing why."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

Say = Callable[[str], object]

DELAY_S = 2.0
"""The seconds of waiting after which a message is printed."""


@contextlib.contextmanager
def waiting(say: Say, what: str) -> Iterator[None]:
    """Print what is waited for if it takes longer than DELAY_S. A thread does so, as this one may be blocked."""
    timer = threading.Timer(DELAY_S, say, (f"Waiting for {what} …",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
