"""A user's mistake: a sentence that says what is wrong, where, and what to do, and a code that names the mistake."""

import argparse
import difflib
from collections.abc import Sequence


class UserError(Exception):
    """Shown as its sentence and its code, without a traceback.

    code: a short name in kebab-case, which stays when the sentence is reworded. Two mistakes never share one.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(code, sentence)
        self.code, self.sentence = code, sentence

    def __str__(self) -> str:
        return f"{self.sentence} [{self.code}]"

    @property
    def reason(self) -> str:
        """As a reason among others: without the full stop of its sentence."""
        return f"{self.sentence.rstrip('.')} [{self.code}]"


class TapeError(UserError):
    """A cassette that cannot be read."""


class BadValue(UserError, argparse.ArgumentTypeError):
    """A value that an option does not take: argparse shows it behind the option's name."""


class Interrupted(UserError):
    """Ctrl-C: the sentence says what is kept."""


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A sentence about the name that comes closest to a mistaken one, or about all that there are."""
    close = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(names) or 'none'}."
