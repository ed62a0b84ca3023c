"""Folders that one process uses at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from longctx.errors import UserError

LOCK = ".lock"
"""The name of the lock file in a folder. The lock ends with the process that holds it, however that ends."""


@contextlib.contextmanager
def locked(folder: Path, held: UserError, harm: str, goes: bool = False) -> Iterator[None]:
    """Lock a folder, which must be writable. Raises `held` if another process has it, and UserError if it has no locks.

    harm: what two processes could do to each other, as a clause. goes: whether the lock file is removed at the end.
    """
    from filelock import FileLock, Timeout  # so that a replay imports none of it

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise held from None
    except (OSError, NotImplementedError) as error:
        raise UserError(
            "not-lockable",
            f"{folder / LOCK} cannot be locked ({error}), and {harm}: delete it if it is a link or a folder, or move "
            "the project to a file system that supports locking. lock = false in [tool.longctx] of pyproject.toml "
            "(--no-lock of a command) continues without a lock; then make sure that no other run uses the folder.",
        ) from None
    try:
        yield
    finally:
        if goes:
            with contextlib.suppress(OSError):
                (folder / LOCK).unlink()
        lock.release()
