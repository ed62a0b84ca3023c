"""The charts of long-context QA: rates by variant and position, effects of scratchpads and examples, and controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from longctx.families.long_context_qa.analysis import CHANCE, Effect, QaSummary
from longctx.families.long_context_qa.names import position, section, variant
from longctx.families.long_context_qa.tables import variants
from longctx.report.charts.chart import Chart, at, colours, field, intervals, layered, rate_axis
from longctx.report.table import by_subject, pivot
from longctx.summary.summary import ScenarioSummary

ROW = 48
"""The height of a row of intervals in pixels."""


def collage(scenarios: Sequence[ScenarioSummary], summaries: Sequence[QaSummary]) -> Iterator[Chart]:
    groups = [
        (subject, budget, [scenario for scenario in group if scenario.params["budget"] == budget])
        for subject, group in by_subject(scenarios).items()
        for budget in dict.fromkeys(scenario.params["budget"] for scenario in group)
    ]
    for number, (subject, budget, group) in enumerate(groups, start=1):
        points = [
            _point(scenario, variant(str(scenario.params["variant"])), position(scenario.params["depth"]))
            for scenario in group
        ]
        title = f"By variant and position of the needle: {subject}, {budget:,} tokens"
        frame = variants(group)
        yield Chart(f"qa-variants-{number}", "collage", title, _rows(points, "needle at"), frame)
    for number, summary in enumerate(summaries, start=1):
        if summary.effects:
            yield _effects(summary, number)


def control(scenarios: Sequence[ScenarioSummary]) -> Iterator[Chart]:
    if scenarios:
        points = [
            _point(scenario, section(str(scenario.params["record"])), str(scenario.subject)) for scenario in scenarios
        ]
        frame = pivot([(point["row"], point["series"], point["text"]) for point in points], "read")
        yield Chart(
            "controls", "control", "With the right section alone, a wrong one, none", _rows(points, "model"), frame
        )


def _point(scenario: ScenarioSummary, row: str, series: str) -> dict[str, Any]:
    text = str(scenario.rate)
    return {
        "row": row,
        "series": series,
        "rate": scenario.rate.rate,
        "lo": scenario.rate.lo,
        "hi": scenario.rate.hi,
        "text": text,
        "say": f"{row}, {series}: {text}",
    }


def _rows(points: list[dict[str, Any]], series: str) -> dict[str, Any]:
    rows = list(dict.fromkeys(point["row"] for point in points))
    names = list(dict.fromkeys(str(point["series"]) for point in points))
    marks = intervals(field("row", "ordinal", None, sort=rows), colours("series", names, series), rate_axis("rate"))
    return layered(points, [at(CHANCE, "x"), *marks], height=ROW * len(rows))


def _effects(summary: QaSummary, number: int) -> Chart:
    points = [_difference(effect) for effect in summary.effects]
    rows = list(dict.fromkeys(point["row"] for point in points))
    names = list(dict.fromkeys(str(point["series"]) for point in points))
    x = field("rate", "quantitative", "difference in rate, same questions", scale={"domain": [-1, 1]})
    marks = intervals(field("row", "ordinal", None, sort=rows), colours("series", names, "needle at"), x)
    spec = layered(points, [at(0, "x"), *marks], height=ROW * len(rows))
    frame = pd.DataFrame(
        [(point["row"], point["series"], point["text"]) for point in points],
        columns=["what is added", "needle at", "difference [95% interval]"],
    ).set_index("what is added")
    return Chart(
        f"qa-effects-{number}", "collage", f"What helps: {summary.subject}, {summary.budget:,} tokens", spec, frame
    )


def _difference(effect: Effect) -> dict[str, Any]:
    lo, hi = effect.paired.interval()
    row = f"{effect.change}, to {variant(effect.before)}"
    where = position(effect.depth)
    return {
        "row": row,
        "series": where,
        "rate": effect.paired.difference,
        "lo": lo,
        "hi": hi,
        "text": str(effect.paired),
        "say": f"{row}, {where}: {effect.paired}",
    }
