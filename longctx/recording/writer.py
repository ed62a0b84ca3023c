"""The lock by which only one run at a time records into a folder of cassettes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from longctx.errors import UserError

LOCK = ".lock"
"""The name of the lock file in the folder. The lock ends with the process that holds it, however that ends."""


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Lock `folder` for recording. Raises UserError if another run is recording into it.

    Two runs at once would find the same trials missing and would both pay for them.
    """
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise UserError(
            "recording-locked",
            f"Another run is recording into {folder}, and two would pay for the same trials twice: wait until it ends. "
            "What it has recorded is not asked again.",
        ) from None
    except OSError:
        pass  # the folder cannot be written: perhaps nothing is missing in it, and otherwise writing reports why
    try:
        yield
    finally:
        lock.release()
