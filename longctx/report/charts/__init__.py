"""The charts of a run, each with a table of its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from longctx.report.charts import overall
from longctx.report.default_views import default_views
from longctx.summary.summary import Summary
from longctx.views.chart import Chart


def charts(summary: Summary) -> Iterator[Chart]:
    """Yield the charts in the order of the page; none for what a run did not measure."""
    by_place = list(overall.heatmaps(summary))
    for name, test in summary.tests.items():
        cells = [cell for cell in summary.of(name) if cell.rate.n]
        own = test.reporting.charts(cells, test.analysis)
        if own is None:
            own = (chart for view in default_views(name, test, cells) for chart in view.charts())
        yield from (replace(chart, test=name) for chart in own)
        yield from (chart for chart in by_place if chart.test == name)
    yield from overall.outcomes(summary)
