"""The tables of a run: those that a family makes itself, or else a list of its scenarios with their rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longctx.report.table import Table
from longctx.summary.summary import ScenarioSummary, Summary


def tables(summary: Summary) -> list[Table]:
    """Return the tables of all families, in the order of the summary."""
    of_all: list[Table] = []
    for name, family in summary.families.items():
        scenarios = summary.of(name)
        own = family.account.tables(scenarios, family.analysis)
        shown = [_plain(family.title, scenarios)] if own is None else own
        of_all += [replace(table, family=name) for table in shown]
    return of_all


def _plain(title: str, scenarios: Sequence[ScenarioSummary]) -> Table:
    columns = {
        "scenario": [scenario.scenario for scenario in scenarios],
        "rate [95% interval]": [str(scenario.rate) for scenario in scenarios],
    }
    return Table.by_subject(title, [scenario.subject for scenario in scenarios], columns)
