"""The tables of a run: those that a family makes itself, or else a list of its scenarios with their rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from longctx.report.tests import chunks_tables
from longctx.report.tests import retention_tables
from longctx.report.tests import window_tables
from longctx.results.grouping import by_family, grouped
from longctx.results.row import Row
from longctx.stats.rates import rate_of
from longctx.stats.rates import pooled
from longctx.summary.summary import OfFamily, Summary
from longctx.views.reporting import ScenarioSummary
from longctx.views.chart import Table


def tables(summary: Summary) -> list[Table]:
    """Return the tables of all families, in the order of the summary."""
    of_all: list[Table] = []
    for name, family in summary.families.items():
        scenarios = summary.of(name)
        own = family.reporting.tables(scenarios, family.analysis)
        shown = [_plain(family.title, scenarios)] if own is None else list(own)
        if family.retention:
            shown = [*retention_tables(family.title, name.replace("_", "-"), family.retention), *shown]
        if family.retrievals:
            shown = [*chunks_tables(family.title, family.retrievals), *shown]
        if family.windows:
            shown = [*window_tables(family.title, family.windows), *shown]
        of_all += [replace(table, family=name) for table in (*shown, *_lexical(family, scenarios))]
    return of_all


def baseline_rates(rows: Sequence[Row]) -> Table:
    """Return a table with the rate and the band of each scenario and subject. rows: those of a baseline."""
    rates_by_scenario = [
        {
            "test": family,
            "subject": str(subject),
            "band": group[0].band or "not gated",
            "scenario": name,
            "accuracy": str(rate_of(row for row in group if row.measured)),
        }
        for family, subjects in by_family(rows).items()
        for subject, of_subject in subjects.items()
        for name, group in grouped(of_subject, lambda row: row.scenario).items()
    ]
    return Table.from_rows("Rates [95% interval]", rates_by_scenario)


def _lexical(family: OfFamily, scenarios: Sequence[ScenarioSummary]) -> Iterator[Table]:
    """Yield a table of what the lexical baseline answers beside the model, by the size that the family names, or by
    scenario if there are several."""
    compared = [scenario for scenario in scenarios if scenario.lexical.n]
    if not compared:
        return
    cells = grouped(
        compared, lambda each: (each.subject, each.params.get(family.size) if family.size else each.scenario)
    )
    columns: dict[str, list[object]] = {}
    if family.size or len({scenario for _, scenario in cells}) > 1:
        columns[family.size or "scenario"] = [f"{of:,}" if isinstance(of, int) else of or "" for _, of in cells]
    columns["lexical baseline"] = [str(pooled(each.lexical for each in same)) for same in cells.values()]
    columns["the model"] = [str(pooled(each.rate for each in same)) for same in cells.values()]
    yield Table.by_subject(
        f"{family.title}: lexical baseline (word overlap) on the same trials [95% interval]",
        [subject for subject, _ in cells],
        columns,
    )


def _plain(title: str, scenarios: Sequence[ScenarioSummary]) -> Table:
    columns = {
        "scenario": [scenario.scenario for scenario in scenarios],
        "accuracy [95% interval]": [str(scenario.rate) for scenario in scenarios],
    }
    return Table.by_subject(title, [scenario.subject for scenario in scenarios], columns)
