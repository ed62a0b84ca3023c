"""The lock by which only one run at a time records into a folder of cassettes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from longctx.errors import UserError
from longctx.files import check_writable, locked


@contextlib.contextmanager
def only_writer(*folders: Path, lock: bool = True) -> Iterator[None]:
    """Lock folders for recording. Raises UserError if another run is recording into one, or if it cannot be locked.

    Two runs at once would find the same trials missing and would both pay for them. A folder that cannot be written is
    not locked: perhaps nothing is missing in it, and otherwise writing reports why.
    """
    with contextlib.ExitStack() as locks:
        for folder in folders if lock else ():
            locks.enter_context(_only_writer(folder))
        yield


@contextlib.contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    held = UserError(
        "recording-locked",
        f"Another run is recording into {folder}, and two would pay for the same trials twice: wait until it ends. "
        "What it has recorded is not asked again.",
    )
    if not _writable(folder):
        yield
        return
    with locked(folder, held, "two runs could pay for the same trials"):
        yield


def _writable(folder: Path) -> bool:
    try:
        check_writable(folder)
    except UserError:
        return False
    return True
