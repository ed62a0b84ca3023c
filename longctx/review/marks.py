"""Marking where a question's answers occur verbatim in its section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from longctx.corpus.questions import BankQuestion
from longctx.visible import visible
from longctx.vocabulary.occurrence import core, plain


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A part of a section's text, with hidden characters made visible."""

    text: str
    answer: Literal["", "right", "wrong"] = ""
    """The kind of answer it is, if any."""


def marked(text: str, question: BankQuestion) -> list[MarkedText]:
    """Split a text into marked and unmarked parts. If answers overlap, the right one is marked."""
    spots: list[tuple[int, int, Literal["right", "wrong"]]] = [
        (*place, "right") for place in places(question.right, text)
    ]
    for answer in question.wrong:
        for start, end in places(answer, text):
            if all(end <= taken or start >= freed for taken, freed, _ in spots):
                spots.append((start, end, "wrong"))
    parts, last = [], 0
    for start, end, answer_kind in sorted(spots):
        parts += [MarkedText(_seen(text[last:start])), MarkedText(_seen(text[start:end]), answer_kind)]
        last = end
    return [part for part in (*parts, MarkedText(_seen(text[last:]))) if part.text]


def places(answer: str, text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each occurrence of the answer's core, as occurs_verbatim finds it, without overlaps."""
    wanted = core(answer).split()
    words = list(_words(text))
    spots: list[tuple[int, int]] = []
    for first in range(len(words) - len(wanted) + 1 if wanted else 0):
        run = words[first : first + len(wanted)]
        if words[first][0] == wanted[0] and [word for word, _, _ in run] == wanted:
            start, end = run[0][1], run[-1][2]
            if not spots or start >= spots[-1][1]:
                spots.append((start, end))
    return spots


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of the plain text, each with the start and end of the token between spaces that contains it."""
    for piece in re.finditer(r"\S+", text):
        bare = re.sub(r"^[\W_]+|[\W_]+$", "", piece[0])
        start = piece.start() + piece[0].find(bare)
        for word in plain(piece[0]).split():
            yield word, start, start + len(bare)


def _seen(text: str) -> str:
    return visible(text, keep="\n\t")
