"""A user's mistake: one sentence that says what is wrong, where, and what to do."""

import difflib
from collections.abc import Sequence


class UserError(Exception):
    """Shown as its sentence alone, without a traceback."""


class TapeError(UserError):
    """A cassette that cannot be read."""


class Interrupted(UserError):
    """Ctrl-C: the sentence says what is kept."""


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A sentence about the name that comes closest to a mistaken one, or about all that there are."""
    close = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(names) or 'none'}."
