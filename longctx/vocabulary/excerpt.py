"""Excerpts of a prompt around its marked parts, since nobody reads 100,000 tokens."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longctx.vocabulary.point import Mark

LINES = 3
"""Lines shown before and after a marked part."""
AROUND = 400
"""The most characters shown before and after: a single line may be a whole window of filler."""
WITHIN = 1200
"""The most characters shown of a marked part."""
CUT = " … "

ExcerptPiece = tuple[str, str]
"""The name of the innermost mark, empty if there is none, and the text."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a text, in pieces. The middle of a long mark is cut out, and several blank lines become one."""

    names: tuple[str, ...]
    """Its marks' names, without those of marks within another."""
    line: int
    """The line of the first mark, from 1."""
    pieces: tuple[ExcerptPiece, ...]


def excerpts(text: str, marks: Sequence[Mark]) -> list[Excerpt]:
    """Return the marked parts of a text with the lines around them, in the order of the marks.

    Marks whose surroundings overlap share an excerpt.
    """
    groups = sorted(_groups(text, marks), key=lambda group: min(map(marks.index, group)))
    return [_excerpt(text, group) for group in groups]


def _groups(text: str, marks: Sequence[Mark]) -> Iterator[list[Mark]]:
    """Yield groups of marks whose surroundings overlap, in the order of the text, outer marks before inner ones."""
    group: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if group and not _close(text, max(member.end for member in group), mark.start):
            yield group
            group = []
        group.append(mark)
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


def _pieces(text: str, group: Sequence[Mark], start: int, end: int) -> Iterator[ExcerptPiece]:
    """Split the text where a mark begins or ends; each piece belongs to the shortest mark around it."""
    edges = sorted({start, end, *(mark.start for mark in group), *(mark.end for mark in group)})
    for left, right in itertools.pairwise(edges):
        holding = [mark for mark in group if mark.start <= left and right <= mark.end]
        inner = min(holding, key=lambda mark: mark.end - mark.start, default=None)
        yield (inner.name if inner else "", _cut(_squeezed(text[left:right])))


def _cut(part: str) -> str:
    return part if len(part) <= WITHIN else part[: WITHIN // 2] + CUT + part[-WITHIN // 2 :]


def _squeezed(text: str) -> str:
    """Replace several blank lines by one."""
    return re.sub(r"\n(?:[^\S\n]*\n){2,}", "\n\n", text)
