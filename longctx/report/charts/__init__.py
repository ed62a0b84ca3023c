"""The charts of a run, each with the table of its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from longctx.report.charts import overall, plain
from longctx.report.charts.chart import Chart
from longctx.summary.summary import Summary


def charts(summary: Summary) -> Iterator[Chart]:
    """In the order in which a page shows them; none for what a run did not measure."""
    by_place = list(overall.heatmaps(summary))
    for name, family in summary.families.items():
        scenarios = [one for one in summary.of(name) if one.rate.n]
        own = family.account.charts(scenarios, family.analysis)
        shown = plain.charts(name, scenarios) if own is None else own
        yield from (replace(one, family=name) for one in shown)
        yield from (one for one in by_place if one.family == name)
    yield from overall.outcomes(summary)
