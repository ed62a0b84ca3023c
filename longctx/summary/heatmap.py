"""Rates by the needle's depth and the length of the context: where in a long text a model looks."""

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
    """size: of the context, in lines or tokens. depth: its tenth, 0 to 9, from the start."""

    family: str
    subject: Subject
    size: int
    depth: int
    rate: Rate


def heatmap(measured: Sequence[Row], sizes: Mapping[str, str | None]) -> Iterator[Place]:
    """measured: rows of trials that were.

    sizes: family -> the parameter that says how long its context is; empty or missing: the prompt's tokens do.
    None: its needle has no place, and it is left out.
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
    """The context's size; for a family without one of its own, the prompt's tokens to one digit."""
    return int(row.params[parameter] or 0) if parameter else int(float(f"{row.input_tokens or 0:.0e}"))
