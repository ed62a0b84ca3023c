"""One run at a time records into a folder of cassettes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from longctx.errors import UserError

LOCK = ".lock"
"""A file in the folder. The lock on it ends with the process that holds it, however that ends."""


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold `folder` for recording. Raises UserError where another run records into it.

    Two at once would both find the same trials missing, and both pay for them.
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
        pass  # a folder that cannot be written to: nothing may be missing there, and if so, writing says why
    try:
        yield
    finally:
        lock.release()
