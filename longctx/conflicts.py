"""Files with the conflict markers of a merge."""

from __future__ import annotations

import re
from pathlib import Path

from longctx.errors import UserError

MARKER = re.compile(rb"^<{7}(?: |\r?$)", re.MULTILINE)
TAKE_ONE_SIDE = "take one side's (git checkout --ours or --theirs)"


def in_conflict(path: Path) -> bool:
    """Return whether a file contains a conflict marker."""
    return path.is_file() and MARKER.search(path.read_bytes()) is not None


def check_no_conflict(path: Path, advice: str) -> None:
    """Raise UserError if a file contains conflict markers. advice: the end of the sentence, without its full stop."""
    if in_conflict(path):
        raise UserError("merge-conflict", f"{path} contains the conflict markers of a merge: {advice}.")
