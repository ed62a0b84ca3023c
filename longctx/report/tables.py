"""The tables of a run: those that a test makes itself, or else a list of its cells with their rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from longctx.report.tests import chunks_tables, retention_tables, window_tables
from longctx.results.grouping import by_test, grouped
from longctx.results.row import Row
from longctx.stats.rates import pooled, rate_of
from longctx.summary.summary import OfTest, Summary
from longctx.views.chart import Table
from longctx.views.reporting import CellSummary


def tables(summary: Summary) -> list[Table]:
    """Return the tables of all tests, in the order of the summary."""
    of_all: list[Table] = []
    for name, test in summary.tests.items():
        cells = summary.of(name)
        own = test.reporting.tables(cells, test.analysis)
        shown = [_plain(test.title, cells)] if own is None else list(own)
        if test.retention:
            shown = [*retention_tables(test.title, name.replace("_", "-"), test.retention), *shown]
        if test.retrievals:
            shown = [*chunks_tables(test.title, test.retrievals), *shown]
        if test.windows:
            shown = [*window_tables(test.title, test.windows), *shown]
        of_all += [replace(table, test=name) for table in (*shown, *_lexical(test, cells))]
    return of_all


def baseline_rates(rows: Sequence[Row]) -> Table:
    """Return a table with the rate and the band of each cell and subject. rows: those of a baseline."""
    rates_by_cell = [
        {
            "test": test,
            "subject": str(subject),
            "band": group[0].band or "not gated",
            "scenario": name,
            "accuracy": str(rate_of(row for row in group if row.measured)),
        }
        for test, subjects in by_test(rows).items()
        for subject, of_subject in subjects.items()
        for name, group in grouped(of_subject, lambda row: row.cell).items()
    ]
    return Table.from_rows("Rates [95% interval]", rates_by_cell)


def _lexical(test: OfTest, cells: Sequence[CellSummary]) -> Iterator[Table]:
    """Yield a table of what the lexical baseline answers beside the model, by the size that the test names, or by
    cell if there are several."""
    compared = [cell for cell in cells if cell.lexical.n]
    if not compared:
        return
    sizes = grouped(compared, lambda each: (each.subject, each.params.get(test.size) if test.size else each.cell))
    columns: dict[str, list[object]] = {}
    if test.size or len({size for _, size in sizes}) > 1:
        columns[test.size or "scenario"] = [f"{of:,}" if isinstance(of, int) else of or "" for _, of in sizes]
    columns["lexical baseline"] = [str(pooled(each.lexical for each in same)) for same in sizes.values()]
    columns["the model"] = [str(pooled(each.rate for each in same)) for same in sizes.values()]
    yield Table.by_subject(
        f"{test.title}: lexical baseline (word overlap) on the same trials [95% interval]",
        [subject for subject, _ in sizes],
        columns,
    )


def _plain(title: str, cells: Sequence[CellSummary]) -> Table:
    columns = {
        "scenario": [cell.cell for cell in cells],
        "accuracy [95% interval]": [str(cell.rate) for cell in cells],
    }
    return Table.by_subject(title, [cell.subject for cell in cells], columns)
