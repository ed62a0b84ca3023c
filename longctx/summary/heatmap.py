"""The rates by depth of the needle and length of the context, which show where in a long text a model finds things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.rates import Rate

BANDS = 10


@dataclass(frozen=True, slots=True)
class Place:
    """One cell of the heatmap. size: the length of the context in lines or tokens. depth: its tenth, from 0 to 9."""

    family: str
    subject: Subject
    size: int
    depth: int
    rate: Rate


def heatmap(measured: Sequence[Row], sizes: Mapping[str, str | None]) -> Iterator[Place]:
    """Yield the cells of the heatmap.

    measured: the rows of measured trials. sizes: the parameter of each family that holds the length of its context. If
    it is empty or missing, the prompt's tokens count. If it is None, the family has no needle and is left out.
    """
    trials: Counter[tuple[str, Subject, int, int]] = Counter()
    right: Counter[tuple[str, Subject, int, int]] = Counter()
    for row in measured:
        size = sizes.get(row.family, "")
        if row.depth is not None and size is not None:
            place = row.family, row.subject, _size(size, row), min(max(int(row.depth * BANDS), 0), BANDS - 1)
            trials[place] += 1
            right[place] += row.correct
    for place, number in trials.items():
        yield Place(*place, Rate(right[place], number))


def _size(parameter: str, row: Row) -> int:
    """Return the length of the context: the parameter's value, or the prompt's tokens rounded to one digit."""
    return int(row.params[parameter] or 0) if parameter else int(float(f"{row.input_tokens or 0:.0e}"))
