"""What is checked of any file of another tool, and how a fault in it is placed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from longctx.errors import UserError
from longctx.fields import reason
from longctx.results.foreign.choice import Choice, OpenChoice, Undecided
from longctx.results.foreign.outcome import is_lower_better
from longctx.results.records import WHOLE, Entry
from longctx.text import visible

Value = TypeVar("Value")
MOST_RESULTS = 200_000
"""The most results of a file."""


def place_of(path: Path, entry: Entry) -> str:
    return f"{path}{'' if entry.place == WHOLE else f', {entry.place}'}"


def located(place: object, read: Iterable[Value], advice: str = "") -> Iterator[Value]:
    """Yield what is read. Raises UserError, which names the place, for a ValueError. advice: what to do about it."""
    try:
        yield from read
    except ValueError as error:
        raise fault(place, error, advice) from None


def fault(place: object, error: ValueError, advice: str = "") -> UserError:
    """Return what to say of a fault in a file. advice: what to do about it."""
    if isinstance(error, OpenChoice):
        return Undecided("bad-result", f"{place}: {visible(str(error))}.", options=error.options, instead=error.instead)
    return UserError("bad-result", f"{place}: {visible(reason(error))}.{advice}")


def check_number(path: Path, results: Sequence[object]) -> None:
    """Raise UserError if a file has more results than the memory should hold."""
    if len(results) > MOST_RESULTS:
        raise UserError("file-too-large", f"{path} has more than {MOST_RESULTS:,} results: split it.")


def check_direction(path: Path, names: Iterable[str], choice: Choice) -> None:
    """Raise UserError if the name of an outcome suggests that less is better, and the person did not say."""
    wrong = next(filter(is_lower_better, names), None)
    if wrong and choice.scale.lower is None:
        raise Undecided(
            "which-direction",
            f"{path}: of {visible(wrong)!r}, less may be better: give --lower-is-better, or --higher-is-better.",
            options=[("--lower-is-better",), ("--higher-is-better",)],
        )
