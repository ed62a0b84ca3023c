"""Replies that are no answers, such as unparseable ones: which tests have many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.results.grouping import grouped
from longctx.results.row import Subject
from longctx.views.answers import CellSummary

UNUSABLE = ("unparseable", "truncated", "refusal")
NOTABLE = 0.05
"""The share of a test's replies from which unusable ones are worth a sentence."""
MANY = 0.25
"""The share from which the rates measure the format of the replies rather than what the model found."""


def unusable_shares(
    cells: Sequence[CellSummary], kinds: Sequence[str]
) -> Iterator[tuple[str, Subject, str, float, int]]:
    """Yield each test and subject with many replies of one of these outcomes: the share, and of how many."""
    for (name, subject), group in grouped(cells, lambda cell: (cell.test, cell.subject)).items():
        total = sum(cell.rate.n for cell in group)
        for kind in kinds:
            count = sum(cell.outcomes.get(kind, 0) for cell in group)
            if total and count / total >= NOTABLE:
                yield name, subject, kind, count / total, total
