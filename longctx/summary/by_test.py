"""The summary of each test in one line, which a reader of a run sees first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longctx.results.grouping import grouped
from longctx.results.subject import Subject
from longctx.stats.rates import Rate, pooled
from longctx.views.reporting import CellSummary


@dataclass(frozen=True, slots=True)
class SummaryOfTest:
    """The summary of one test for one subject.

    lowest, highest: the cells with the lowest and the highest rate; None if nothing was measured.
    """

    test: str
    subject: Subject
    cells: int
    """The number of cells."""
    rate: Rate
    """The rate over all measured trials."""
    lowest: CellSummary | None
    highest: CellSummary | None


def summaries_of_tests(cells: Sequence[CellSummary]) -> list[SummaryOfTest]:
    """Return a summary for each test and subject, in their order."""
    return [_test(test, subject, group) for (test, subject), group in by_test_and_subject(cells).items()]


def by_test_and_subject(cells: Sequence[CellSummary]) -> dict[tuple[str, Subject], list[CellSummary]]:
    """Group cells by test and subject, in their order."""
    return grouped(cells, lambda cell: (cell.test, cell.subject))


def _test(test: str, subject: Subject, group: list[CellSummary]) -> SummaryOfTest:
    measured = sorted((cell for cell in group if cell.rate.n), key=lambda cell: cell.rate.rate)
    rate = pooled(cell.rate for cell in group)
    lowest, highest = (measured[0], measured[-1]) if measured else (None, None)
    return SummaryOfTest(test, subject, len(group), rate, lowest, highest)
