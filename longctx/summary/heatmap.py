"""The rates by depth of the needle and length of the context, which show where in a long text a model finds things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.rates import Rate, rate_of
from longctx.vocabulary.protocol import Protocol

BANDS = 10


@dataclass(frozen=True, slots=True)
class HeatmapCell:
    """One cell of a heatmap."""

    test: str
    subject: Subject
    size: int
    """The length of the context in lines or tokens."""
    depth: int
    """Its tenth, from 0 to 9."""
    rate: Rate
    common: bool
    """Whether all cells of the heatmap count the same variants, and no other."""


def heatmap(measured: Sequence[Row], tests: Mapping[str, Protocol]) -> Iterator[HeatmapCell]:
    """Yield the cells of the heatmap.

    measured: the rows of measured trials. tests: those that are known; a test whose size is None has no needle and
    is left out. The cells count the variants that are asked at every length, or all variants if there is none such.
    """
    placed = [row for row in measured if row.depth is not None and _parameter(row.test, tests) is not None]
    for (test, subject), rows in grouped(placed, lambda row: (row.test, row.subject)).items():
        parameter = _parameter(test, tests) or ""
        of_size = grouped(rows, partial(_size, parameter))
        variant = tests[test].variant if test in tests else ""
        asked = [{row.params.get(variant) for row in group} for group in of_size.values()]
        common = set.intersection(*asked)
        for size, group in of_size.items():
            counted = [row for row in group if not common or row.params.get(variant) in common]
            for tenth, rows_there in grouped(counted, _tenth).items():
                yield HeatmapCell(test, subject, size, tenth, rate_of(rows_there), bool(common))


def _tenth(row: Row) -> int:
    return min(max(int((row.depth or 0) * BANDS), 0), BANDS - 1)


def _parameter(test: str, tests: Mapping[str, Protocol]) -> str | None:
    """Return the parameter of a test that holds the length of its context; empty if the test is not known."""
    return tests[test].context if test in tests else ""


def _size(parameter: str, row: Row) -> int:
    """Return the length of the context: the parameter's value, or the prompt's tokens rounded to one digit."""
    return int(row.params[parameter] or 0) if parameter else int(float(f"{row.input_tokens or 0:.0e}"))
