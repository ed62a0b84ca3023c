"""The charts of a run, each with the table of its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from longctx.measure.summary import Summary
from longctx.report.charts import line_retrieval, overall, passkey, qa
from longctx.report.charts.chart import Chart


def charts(summary: Summary) -> Iterator[Chart]:
    """In the order in which a page shows them; none for what a run did not measure."""
    scenarios = [one for one in summary.scenarios if one.rate.n]
    families = {
        "line_retrieval": lambda of: line_retrieval.charts(of, summary.origins),
        "passkey": lambda of: passkey.charts(of, summary.passkey),
        "collage": lambda of: qa.collage(of, summary.qa),
        "control": qa.control,
    }
    for family, charts_of in families.items():
        yield from charts_of([one for one in scenarios if one.family == family])
    yield from overall.heatmaps(summary.places)
    yield from overall.outcomes(summary.scenarios)
