"""How many stated minimums a gate tests."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.engine.run_plan import Plan
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.views.declared import reporting_of_test
from longctx.views.reporting import Reports
from longctx.vocabulary.report import Report


def minimums_of(plan: Plan) -> int:
    """Return how many stated minimums a gate with the plan tests."""
    grids = [grid for tables in plan.grids().values() for grid in tables if grid.gated]
    return sum(grid.minimums * len(grid.prompts) * len(grid.shapes) for grid in grids)


def minimums_of_tests(rows: Sequence[Row], reports: Reports) -> int:
    """Return how many minimums the reports of test functions state. rows: those of a run, or of a baseline.

    A report that fails or is not known counts as one: a gate would be invalid.
    """
    measured = [row for row in rows if row.measured and row.band is not None]
    by_test = grouped(measured, lambda row: (row.test, row.subject))
    return sum(_stated(name, reports[name], group) for (name, _), group in by_test.items() if name in reports)


def _stated(name: str, report: Report | None, rows: Sequence[Row]) -> int:
    try:
        reported = reporting_of_test(name, report).reported(rows, rows, ()) if report else None
    except Exception:
        reported = None
    return 1 if reported is None else sum(each.minimum is not None for each in reported)
