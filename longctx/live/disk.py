"""The space for the answers in flight: nothing more is sent before it is gone, or an answer would find none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from longctx.live.failure import Failure

LEAST = 64_000
"""The bytes that are kept for an answer, at least."""
TIMES = 2
"""How many times the largest answer so far an answer may take."""


class Disk:
    """The folders to which answers are recorded."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = [_existing(folder) for folder in folders]
        self._largest = LEAST // TIMES

    def recorded(self, size: int) -> None:
        """Note the bytes of an answer."""
        self._largest = max(self._largest, size)

    def full(self, in_flight: int) -> Failure | None:
        """Return why nothing more may be sent with so many requests in flight; None if there is room."""
        needed = TIMES * self._largest * (in_flight + 1)
        for folder in self._folders:
            if (free := _free(folder)) < needed:
                return Failure(
                    "not_recorded",
                    f"The disk of {os.path.relpath(folder)} has {free:,} bytes left, and the answers in flight may "
                    f"need {needed:,}, so nothing more was sent. No answer is lost. Free some space, and run the same "
                    "command again.",
                    fatal=True,
                )
        return None


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())


def _free(folder: Path) -> float:
    try:
        return shutil.disk_usage(folder).free
    except OSError:  # what is wrong with it is said when it is written
        return float("inf")
