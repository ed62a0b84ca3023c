"""The texts of a conversation, encoded as rows of indices that a trial's random stream draws.

A row has the indices of a text's kind and subject, its beginning and end, and the parts of its sentences, all of
conversation_texts.toml. Two texts without a common index have no sentence part in common.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
"""A row for each text: kind, subject, beginning, end, and three parts for each of SENTENCES."""
Strings = NDArray[np.object_]

SENTENCES = 4
PARTS = ("when", "who", "what")
COLUMNS = 4 + SENTENCES * len(PARTS)


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The parts of texts. `before` and `after` surround the subject in a beginning, and have the shape of `ends`."""

    kinds: tuple[str, ...]
    subjects: Strings
    before: Strings
    after: Strings
    ends: Strings
    """Endings; shape (kind, entry)."""
    parts: Strings
    """Sentence parts with the space or line break before them; shape (prose or lines, part, entry)."""
    verse: NDArray[np.int64]
    """For each kind, 1 if its sentences are lines."""


@functools.cache
def lists() -> Lists:
    """Read the lists, once."""
    file = resources.files(__package__).joinpath("conversation_texts.toml")
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    kinds: list[dict[str, Any]] = content["kinds"]
    begins = [[line.split("{subject}") for line in _entries(kind["begins"])] for kind in kinds]
    parts = [_entries(content["sentences"][name]) for name in PARTS]
    breaks = [" ", "\n"]
    return Lists(
        kinds=tuple(kind["name"] for kind in kinds),
        subjects=_array(content["subjects"].split()),
        before=_array([[before for before, _ in lines] for lines in begins]),
        after=_array([[after for _, after in lines] for lines in begins]),
        ends=_array([[breaks[kind.get("verse", False)] + end for end in _entries(kind["ends"])] for kind in kinds]),
        parts=_array(
            [
                [[(end if part == 0 else " ") + entry for entry in entries] for part, entries in enumerate(parts)]
                for end in breaks
            ]
        ),
        verse=np.array([kind.get("verse", False) for kind in kinds], dtype=np.int64),
    )


def sizes() -> tuple[int, ...]:
    """Return the number of entries for each column of a row."""
    have = lists()
    return (len(have.kinds), len(have.subjects), have.before.shape[1], have.ends.shape[1]) + (have.parts.shape[2],) * (
        SENTENCES * len(PARTS)
    )


def pieces(rows: Rows) -> Strings:
    """Return the pieces that make up each text; shape (texts, pieces)."""
    have, (kind, subject, begin, end) = lists(), rows.T[:4]
    verse = have.verse[kind]
    filled = np.empty((len(rows), COLUMNS), dtype=object)
    filled[:, 0], filled[:, 1], filled[:, 2] = have.before[kind, begin], have.subjects[subject], have.after[kind, begin]
    for column in range(SENTENCES * len(PARTS)):
        filled[:, 3 + column] = have.parts[verse, column % len(PARTS), rows[:, 4 + column]]
    filled[:, -1] = have.ends[kind, end]
    return filled


def lengths(strings: Strings) -> NDArray[np.int64]:
    """Return the length of each string."""
    return np.frompyfunc(len, 1, 1)(strings).astype(np.int64)  # type: ignore[union-attr]  # an array's


def texts(rows: Rows) -> list[str]:
    """Return the text of each row."""
    return ["".join(row) for row in pieces(rows).tolist()]


def _entries(lines: str) -> list[str]:
    return lines.strip().split("\n")


def _array(values: Any) -> Strings:
    return np.array(values, dtype=object)
