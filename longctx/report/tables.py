"""The tables of a run: those that a test makes itself, or else a list of its cells with their rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from longctx.results.grouping import by_test, grouped
from longctx.results.row import Row
from longctx.stats.rates import pooled, rate_of
from longctx.summary.summary import OfTest, Summary
from longctx.views.answers import CellSummary
from longctx.views.chart import Table


def tables(summary: Summary) -> list[Table]:
    """Return the tables of all tests, in the order of the summary."""
    from longctx.report.function_reports import function_reports_of  # a verdict on files needs none

    found_tables: list[Table] = []
    for name, test in summary.tests.items():
        cells = summary.of(name)
        own = test.reporting.tables(cells, test.analysis)
        shown = [_plain(test.title, cells)] if own is None else list(own)
        stem = name.replace("_", "-")
        found = [table for part, of in function_reports_of(test) for table in part.tables(test.title, of, stem)]
        found_tables += [replace(table, test=name) for table in (*found, *shown, *_lexical(test, cells))]
    return found_tables


def baseline_rates(rows: Sequence[Row]) -> Table:
    """Return a table with the rate and the band of each cell and subject. rows: those of a baseline."""
    rates_by_cell = [
        {
            "test": test,
            "subject": str(subject),
            "band": group[0].band or "not gated",
            "cell": name,
            "accuracy": str(rate_of(row for row in group if row.measured)),
        }
        for test, subjects in by_test(rows).items()
        for subject, own_rows in subjects.items()
        for name, group in grouped(own_rows, lambda row: row.cell).items()
    ]
    return Table.from_rows("Rates [95% interval]", rates_by_cell)


def _lexical(test: OfTest, cells: Sequence[CellSummary]) -> Iterator[Table]:
    """Yield a table of what the lexical baseline answers next to the model, by the size that the test names, or by
    cell if there are several."""
    compared = [cell for cell in cells if cell.lexical.n]
    if not compared:
        return
    sizes = grouped(compared, lambda each: (each.subject, each.params.get(test.size) if test.size else each.cell))
    columns: dict[str, list[object]] = {}
    if test.size or len({size for _, size in sizes}) > 1:
        columns[test.size or "cell"] = [f"{of:,}" if isinstance(of, int) else of or "" for _, of in sizes]
    columns["lexical baseline"] = [str(pooled(each.lexical for each in same)) for same in sizes.values()]
    columns["the model"] = [str(pooled(each.rate for each in same)) for same in sizes.values()]
    yield Table.by_subject(
        f"{test.title}: lexical baseline (word overlap) on the same trials [95% interval]",
        [subject for subject, _ in sizes],
        columns,
    )


def _plain(title: str, cells: Sequence[CellSummary]) -> Table:
    columns = {
        "cell": [cell.cell for cell in cells],
        "accuracy [95% interval]": [str(cell.rate) for cell in cells],
    }
    return Table.by_subject(title, [cell.subject for cell in cells], columns)
