"""Where the answers of a question stand in its section, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from longctx.corpus.questions import BankQuestion
from longctx.corpus.standing import core, plain
from longctx.visible import visible


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A part of a section's text, fit to be seen. answer: which kind of answer it is, if it is one."""

    text: str
    answer: Literal["", "right", "wrong"] = ""


def marked(text: str, question: BankQuestion) -> list[MarkedText]:
    """The whole text in parts. Of answers that overlap, the right one is marked."""
    spots: list[tuple[int, int, Literal["right", "wrong"]]] = [
        (*place, "right") for place in places(question.right, text)
    ]
    for answer in question.wrong:
        for start, end in places(answer, text):
            if all(end <= taken or start >= freed for taken, freed, _ in spots):
                spots.append((start, end, "wrong"))
    found, last = [], 0
    for start, end, answer_kind in sorted(spots):
        found += [MarkedText(_seen(text[last:start])), MarkedText(_seen(text[start:end]), answer_kind)]
        last = end
    return [part for part in (*found, MarkedText(_seen(text[last:]))) if part.text]


def places(answer: str, text: str) -> list[tuple[int, int]]:
    """Where the answer's core stands, as standing.stands_verbatim finds it: (start, end) in the text, none twice."""
    wanted = core(answer).split()
    words = list(_words(text))
    found: list[tuple[int, int]] = []
    for first in range(len(words) - len(wanted) + 1 if wanted else 0):
        run = words[first : first + len(wanted)]
        if words[first][0] == wanted[0] and [word for word, _, _ in run] == wanted:
            start, end = run[0][1], run[-1][2]
            if not found or start >= found[-1][1]:
                found.append((start, end))
    return found


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of the plain text, each with where the piece between spaces that holds it begins and ends."""
    for piece in re.finditer(r"\S+", text):
        bare = re.sub(r"^[\W_]+|[\W_]+$", "", piece[0])
        start = piece.start() + piece[0].find(bare)
        for word in plain(piece[0]).split():
            yield word, start, start + len(bare)


def _seen(text: str) -> str:
    return visible(text, keep="\n\t")
