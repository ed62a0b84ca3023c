"""The markers that a merge by git leaves in a file that both sides changed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from longctx.errors import UserError

MARKER = re.compile(rb"^<{7}(?: |\r?$)", re.MULTILINE)
TAKE_ONE_SIDE = "take one side's (git checkout --ours or --theirs)"
MOST_NAMED = 20
"""Files that one sentence names."""


def in_conflict(path: Path) -> bool:
    """Whether a file holds the beginning of a conflict."""
    return path.is_file() and MARKER.search(path.read_bytes()) is not None


def check_no_conflict(path: Path, advice: str) -> None:
    """Raises UserError. advice: what to do, in words that end a sentence, without its full stop."""
    if in_conflict(path):
        raise UserError("merge-conflict", f"{path} holds the conflict markers of a merge: {advice}.")


def named(paths: Sequence[Path]) -> str:
    """The paths as they are typed, as many as one sentence may name."""
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return f"{', '.join(map(os.path.relpath, paths[:MOST_NAMED]))}{more}"
