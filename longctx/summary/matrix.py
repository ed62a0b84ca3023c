"""The first table of a run as matrices: a curve per row, a length per column. A test without lengths keeps one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx.results.grouping import grouped
from longctx.results.row import Subject
from longctx.summary.summary import Line, tokens_of
from longctx.views.view import RatePoint

SAME_AS_LENGTH, SAME_TOKENS = 0.1, 0.05
"""The share by which the tokens that were sent may differ from lengths that count tokens and not be stated, and that
by which those of several curves may differ and be stated once."""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A row: a curve of one subject."""

    line: Line
    """The line of the first table that it is a part of."""
    name: str
    """The name of the curve; empty if the subject has no other."""
    about: tuple[str, ...]
    """What is said of this row and not of all."""
    points: Mapping[float | str, RatePoint]
    """The accuracy, or what is stated in its place, at each length."""

    @property
    def subject(self) -> Subject:
        return self.line.subject


@dataclass(frozen=True, slots=True)
class Matrix:
    """A test with several lengths."""

    test: str
    part: str
    """Which of several matrices of the test it is, such as `2,600 tokens`."""
    counts: str
    """What the lengths count, such as `lines`."""
    name: str
    """What is stated if all rows state the same and it has a name, such as `k_max`."""
    about: tuple[str, ...]
    """What is said of all rows."""
    lengths: tuple[float | str, ...]
    rows: tuple[MatrixRow, ...]


def tokens_sent(rows: Sequence[MatrixRow]) -> dict[float | str, tuple[int, int]]:
    """Return the tokens that these curves sent at each length, the least and the largest; each is a median.

    Empty if no answer tells, or if the lengths count the tokens that were sent.
    """
    found: dict[float | str, list[int]] = {}
    for row in rows:
        for length, point in row.points.items():
            if (tokens := tokens_of([point])) is not None:
                found.setdefault(length, []).append(tokens)
    if all(_is_length(tokens, length) for length, each in found.items() for tokens in each):
        return {}
    return {length: (min(each), max(each)) for length, each in found.items()}


def _is_length(tokens: int, length: float | str) -> bool:
    return not isinstance(length, str) and abs(tokens - length) <= SAME_AS_LENGTH * length


def alike(sent: Mapping[float | str, tuple[int, int]]) -> bool:
    """Return whether curves sent about as many tokens at each length."""
    return all(largest - least <= SAME_TOKENS * largest for least, largest in sent.values())


def matrices(lines: Sequence[Line]) -> tuple[list[Matrix], list[Line]]:
    """Return the matrices of the tests with several lengths, and the lines of the others, each in their order."""
    found, single = list[Matrix](), list[Line]()
    for test, own_lines in grouped(lines, lambda line: line.test).items():
        placed = [(line, point) for line in own_lines for point in line.points if point.column is not None]
        parts = grouped(placed, lambda each: each[1].part)
        if any(len({point.column for _, point in members}) > 1 for members in parts.values()):
            found += [_matrix(test, part, members) for part, members in parts.items()]
            shown = {line.subject for line, _ in placed}
            single += [line for line in own_lines if line.subject not in shown]
        else:
            single += own_lines
    return found, single


def _matrix(test: str, part: str, placed: Sequence[tuple[Line, RatePoint]]) -> Matrix:
    columns = list(dict.fromkeys(point.column for _, point in placed if point.column is not None))
    numbers = sorted(column for column in columns if not isinstance(column, str))
    names = {point.row for _, point in placed}
    common = _shared(point.about for _, point in placed)
    name = names.pop() if len(names) == 1 else ""
    first = placed[0][1]
    rows = [
        MatrixRow(
            line,
            "" if name else own,
            tuple(each for each in about if each not in common),
            {point.column: point for point in points if point.column is not None},
        )
        for line, points_of_line in _by_line(placed)
        for (own, about), points in _curves(points_of_line)
    ]
    counts = first.counts or first.facet.strip()
    return Matrix(
        test, part, counts, name, common, tuple(numbers if len(numbers) == len(columns) else columns), tuple(rows)
    )


def _by_line(placed: Sequence[tuple[Line, RatePoint]]) -> Iterator[tuple[Line, list[RatePoint]]]:
    for same in grouped(placed, lambda each: each[0].subject).values():
        yield same[0][0], [point for _, point in same]


def _curves(points: Sequence[RatePoint]) -> Iterator[tuple[tuple[str, tuple[str, ...]], list[RatePoint]]]:
    """Yield the curves of a subject, in the order of the length that has most of them."""
    curves = grouped(points, lambda point: (point.row, point.about))
    most = max(grouped(points, lambda point: point.column).values(), key=len)
    order = list(dict.fromkeys([*((point.row, point.about) for point in most), *curves]))
    yield from ((key, curves[key]) for key in order)


def _shared(abouts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    first, *others = abouts
    return tuple(each for each in first if all(each in other for other in others))
