"""The difference between two texts as lines for people: without keys, folded, and cut to what fits on a screen."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Iterator, Sequence

from longctx.redaction import without_keys
from longctx.text import count
from longctx.vocabulary.both import Both

AROUND = 1
"""The unchanged lines that are shown before and after a change."""
LONGEST_LINE = 300
"""The most characters of a line."""
BEFORE_CHANGE = 60
"""The characters before the first that changed, of a line whose beginning is left out."""
LONGEST_RUN = 15
"""The most lines in a row that came, or that went."""
MOST_COMPARED = 1000
"""The most lines that are compared, from the first on that changed."""


def difference(texts: Both[str]) -> tuple[str, ...]:
    """Return the lines of the difference between two texts; none if only keys differ."""
    sides = texts.map(lambda text: without_keys(text).splitlines())
    if sides.before == sides.after:
        return ()
    start = max(0, _alike(*sides) - AROUND)
    compared = sides.map(lambda lines: lines[start : start + MOST_COMPARED])
    lines = [*_folded(_diff(*compared))]
    left_out = max(map(len, sides)) - start - MOST_COMPARED
    return (*lines, f" … {count(left_out, 'more line')} not compared") if left_out > 0 else tuple(lines)


def first_differences(
    named: Iterable[tuple[str, Both[str | None]]], most: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names and differences of the first texts that differ, alike differences once. None is not known."""
    seen: set[tuple[str, ...]] = set()
    for name, (before, after) in named:
        if len(seen) == most:
            break
        lines = difference(Both(before, after)) if before is not None and after is not None else ()
        own = signed(lines)
        if own and own not in seen:
            seen.add(own)
            yield name, lines


def signed(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a difference that came or went, by which two differences are alike."""
    return tuple(line for line in lines if line[:1] in "-+")


def first_changed_line(texts: Both[str]) -> int:
    """Return the first line of the later text that changed, from 1."""
    return _alike(*texts.map(str.splitlines)) + 1


def _alike(before: Sequence[str], after: Sequence[str]) -> int:
    """Return how many lines, or characters, two texts have in common at their beginning."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _diff(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a difference; a line with dots stands between its parts."""
    _, _, *lines = difflib.unified_diff(before, after, lineterm="", n=AROUND)
    for index, line in enumerate(lines):
        if not line.startswith("@@"):
            yield line
        elif index:
            yield " …"


def _folded(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines, each cut to its longest, and of a long run of lines that came or went the first ones."""
    runs = [(sign, list(run)) for sign, run in itertools.groupby(lines, lambda line: line[:1])]
    for index, (sign, run) in enumerate(runs):
        beside = {"-": index + 1, "+": index - 1}.get(sign, -1)
        other = runs[beside][1] if 0 <= beside < len(runs) and {sign, runs[beside][0]} == {"-", "+"} else []
        most = LONGEST_RUN if sign in "-+" else len(run)
        for line, instead in itertools.zip_longest(run[:most], other[: len(run[:most])], fillvalue=""):
            yield _cut(line, instead)
        if len(run) > most:
            yield f" … {count(len(run) - most, 'more line')}"


def _cut(line: str, instead: str) -> str:
    """Return a line of at most the longest length, from its change on if that is far behind its beginning."""
    if len(line) <= LONGEST_LINE:
        return line
    start = _alike(line[1:], instead[1:]) - BEFORE_CHANGE
    shown = f"{line[0]}…{line[1 + start :]}" if start > 0 else line
    return shown if len(shown) <= LONGEST_LINE else f"{shown[: LONGEST_LINE - 1]}…"
