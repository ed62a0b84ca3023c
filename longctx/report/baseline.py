"""The rates of a baseline as a table."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.results.grouping import by_family, grouped
from longctx.results.row import Row
from longctx.stats.rates import Rate
from longctx.views.table import Table


def rates(rows: Sequence[Row]) -> Table:
    """Return a table with the rate and the band of each scenario and subject. rows: those of a baseline."""
    rates_by_scenario = [
        {
            "family": family,
            "subject": str(subject),
            "band": group[0].band or "not gated",
            "scenario": name,
            "rate": str(Rate(sum(row.correct for row in group), sum(row.measured for row in group))),
        }
        for family, subjects in by_family(rows).items()
        for subject, of_subject in subjects.items()
        for name, group in grouped(of_subject, lambda row: row.scenario).items()
    ]
    return Table.from_rows("Rates [95% interval]", rates_by_scenario)
