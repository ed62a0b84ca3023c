"""The chart of a family that has none of its own: the rate of each scenario with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.report.charts.chart import Chart, colours, field, intervals, layered, rate_axis
from longctx.report.table import pivot
from longctx.summary.summary import ScenarioSummary

ROW = 32
"""The height of a scenario's row in pixels."""


def charts(family: str, scenarios: Sequence[ScenarioSummary]) -> Iterator[Chart]:
    """Yield a chart with a row for each scenario and a series for each subject; none without scenarios."""
    if not scenarios:
        return
    points = [
        {
            "row": scenario.scenario,
            "series": str(scenario.subject),
            "rate": scenario.rate.rate,
            "lo": scenario.rate.lo,
            "hi": scenario.rate.hi,
            "say": f"{scenario.scenario}, {scenario.subject}: {scenario.rate}",
        }
        for scenario in scenarios
    ]
    rows = list(dict.fromkeys(scenario.scenario for scenario in scenarios))
    names = list(dict.fromkeys(str(scenario.subject) for scenario in scenarios))
    marks = intervals(field("row", "ordinal", None, sort=rows), colours("series", names, "model"), rate_axis("rate"))
    spec = layered(points, marks, height=ROW * len(rows) + ROW)
    frame = pivot(
        [(scenario.scenario, str(scenario.subject), str(scenario.rate)) for scenario in scenarios], "scenario"
    )
    yield Chart(f"{family.replace('_', '-')}-scenarios", family, "Rate of each scenario", spec, frame)
