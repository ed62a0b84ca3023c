"""The errors for a user's mistakes: a sentence on what is wrong, where, and what to do, and a code for the mistake."""

import argparse
import difflib
from collections.abc import Sequence
from pathlib import Path


class UserError(Exception):
    """An error that the user can fix. longctx prints its sentence and code, without a traceback.

    sentence: what is wrong, where, and what to do. code: a name in kebab-case, the same if the sentence is reworded.

    Example:
        >>> print(UserError("no-keys", "The table asks for no keys: give at least 1."))
        The table asks for no keys: give at least 1. [no-keys]
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(code, sentence)
        self.code, self.sentence = code, sentence

    def __str__(self) -> str:
        return f"{self.sentence} [{self.code}]"

    @property
    def reason(self) -> str:
        """The sentence without its full stop, and the code."""
        return f"{self.sentence.rstrip('.')} [{self.code}]"


class TapeError(UserError):
    """A cassette that cannot be read."""


class BadValue(UserError, argparse.ArgumentTypeError):
    """A value that an option does not take; argparse shows the sentence after the option's name."""


class Absent(UserError):
    """A file or folder with the data of a test that is not there. path: where it would be."""

    def __init__(self, code: str, sentence: str, *, path: Path) -> None:
        super().__init__(code, sentence)
        self.path = path


class Interrupted(UserError):
    """The user pressed Ctrl-C; the sentence states what is kept."""


class Invalid(UserError):
    """The verdict of a gate can only be invalid, which is known before any request is sent."""


def closest(name: str, names: Sequence[str]) -> str:
    """Return the name that is closest to a mistaken one; empty if none is close."""
    return next(iter(difflib.get_close_matches(name, names, n=1)), "")


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Return a sentence with the name that is closest to a mistaken one, or with all names."""
    if close := closest(name, names):
        return f"Did you mean {close!r}?"
    return f"There are: {', '.join(names)}." if names else "There are none."
