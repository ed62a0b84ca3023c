"""The conflict markers that a merge by git leaves in a file."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from longctx.errors import UserError

MARKER = re.compile(rb"^<{7}(?: |\r?$)", re.MULTILINE)
TAKE_ONE_SIDE = "take one side's (git checkout --ours or --theirs)"
MOST_NAMED = 20
"""The most files that a sentence names."""


def in_conflict(path: Path) -> bool:
    """Return whether a file holds a conflict marker."""
    return path.is_file() and MARKER.search(path.read_bytes()) is not None


def check_no_conflict(path: Path, advice: str) -> None:
    """Raise UserError if a file holds conflict markers. advice: the end of the sentence, without its full stop."""
    if in_conflict(path):
        raise UserError("merge-conflict", f"{path} holds the conflict markers of a merge: {advice}.")


def named(paths: Sequence[Path]) -> str:
    """Return the paths, relative to the current folder, as a list for a sentence."""
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return f"{', '.join(map(os.path.relpath, paths[:MOST_NAMED]))}{more}"
