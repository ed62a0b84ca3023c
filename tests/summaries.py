"""Functions that change summaries, for tests of how they are reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from longctx.registry import shipped
from longctx.summary.summary import OfTest, Summary
from longctx.views.answers import Answers, CellSummary
from longctx.views.declared import reporting_of
from longctx.views.reporting import Reporting
from tests.rows import row


def made(summary: Summary, cells: Sequence[CellSummary] | None = None, **analyses: Any) -> Summary:
    """Return the summary with other cells, or its own if None, and with these analyses by the name of their test.

    A test without an analysis keeps that of the summary, or has an empty one.
    """
    kept = summary.cells if cells is None else tuple(cells)
    names = [*shipped(), *(cell.test for cell in kept if cell.test not in shipped())]
    tests = {
        name: _of(name, analyses.get(name, _before(summary, name)))
        for name in names
        if name in analyses or any(cell.test == name for cell in kept)
    }
    return replace(summary, cells=kept, tests=tests)


def answers_to(*cells: CellSummary) -> list[Answers]:
    """Return the Answers to cells of one protocol, as its report puts them together, with a row for each trial."""
    rows = [
        row(
            "correct" if trial < cell.rate.correct else "wrong",
            test=cell.test,
            cell=cell.cell,
            params=dict(cell.params),
            model=cell.subject.model,
            prompt_set=cell.subject.prompt_set,
            labels=dict(cell.subject.labels),
            trial=trial,
        )
        for cell in cells
        for trial in range(cell.rate.n)
    ]
    analysis: list[Answers] = reporting_of(shipped()[cells[0].test]).analyse(cells, rows)
    return analysis


def _of(name: str, analysis: Any) -> OfTest:
    test = shipped().get(name)
    if test is None:
        return OfTest(name, "tokens", "", Reporting(), None)
    return OfTest(
        test.title,
        test.unit,
        test.variant,
        reporting_of(test),
        analysis,
        test.context,
        test.parameters,
    )


def _before(summary: Summary, name: str) -> Any:
    return summary.tests[name].analysis if name in summary.tests else ()
