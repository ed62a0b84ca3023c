"""The surroundings of parts of a prompt, for a reader who will not read 100,000 tokens."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longctx.vocabulary.scenario import Mark

LINES = 3
"""Shown before and after."""
AROUND = 400
"""Characters shown before and after, at most: a line may be a whole window of filler."""
WITHIN = 1200
"""Characters shown of a marked part, at most."""
CUT = " … "

Piece = tuple[str, str]
"""The name of the innermost mark, empty where there is none, and the text."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a text in pieces. names: of its marks, but for those within another. line: of the first mark, from 1.

    Of a long mark the middle is cut out, and of several blank lines one is kept.
    """

    names: tuple[str, ...]
    line: int
    pieces: tuple[Piece, ...]


def excerpts(text: str, marks: Sequence[Mark]) -> list[Excerpt]:
    """The marked parts of a text with the lines around them, in the order of the marks; what lies close, together."""
    groups = sorted(_groups(text, marks), key=lambda group: min(map(marks.index, group)))
    return [_excerpt(text, group) for group in groups]


def _groups(text: str, marks: Sequence[Mark]) -> Iterator[list[Mark]]:
    """Marks whose surroundings would overlap, from the first in the text to the last, the outer before the inner."""
    group: list[Mark] = []
    for one in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if group and not _close(text, max(mark.end for mark in group), one.start):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _close(text: str, end: int, start: int) -> bool:
    between = _squeezed(text[end:start])
    return len(between) <= 2 * AROUND and between.count("\n") <= 2 * LINES


def _excerpt(text: str, group: Sequence[Mark]) -> Excerpt:
    start, end = group[0].start, max(mark.end for mark in group)
    outer = [mark for mark in group if not any(_within(mark, other) for other in group)]
    before = _squeezed(text[max(0, start - 4 * AROUND) : start])[-AROUND:].split("\n")[-LINES - 1 :]
    after = _squeezed(text[end : end + 4 * AROUND])[:AROUND].split("\n")[: LINES + 1]
    pieces = [("", "\n".join(before)), *_pieces(text, group, start, end), ("", "\n".join(after))]
    names = tuple(dict.fromkeys(mark.name for mark in outer))
    return Excerpt(names, text.count("\n", 0, start) + 1, tuple(piece for piece in pieces if piece[1]))


def _within(mark: Mark, other: Mark) -> bool:
    inside = other.start <= mark.start and mark.end <= other.end
    return inside and (other.end - other.start) > (mark.end - mark.start)


def _pieces(text: str, group: Sequence[Mark], start: int, end: int) -> Iterator[Piece]:
    """Divided where a mark begins or ends; each piece is of the shortest mark that holds it."""
    edges = sorted({start, end, *(mark.start for mark in group), *(mark.end for mark in group)})
    for left, right in itertools.pairwise(edges):
        holding = [mark for mark in group if mark.start <= left and right <= mark.end]
        inner = min(holding, key=lambda mark: mark.end - mark.start, default=None)
        yield (inner.name if inner else "", _cut(_squeezed(text[left:right])))


def _cut(part: str) -> str:
    return part if len(part) <= WITHIN else part[: WITHIN // 2] + CUT + part[-WITHIN // 2 :]


def _squeezed(text: str) -> str:
    """One blank line in place of several."""
    return re.sub(r"\n(?:[^\S\n]*\n){2,}", "\n\n", text)
