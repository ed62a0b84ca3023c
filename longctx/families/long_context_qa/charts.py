"""The charts of long-context QA: rates by variant, position and length, effects of examples, and controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from longctx.families.long_context_qa.analysis import Effect, QaSummary
from longctx.families.long_context_qa.choices import CHANCE
from longctx.families.long_context_qa.names import position, section, variant
from longctx.families.long_context_qa.tables import variants
from longctx.report.charts.chart import Chart, apart, at, colours, curves, field, intervals, layered, note_of, rate_axis
from longctx.report.table import pivot
from longctx.results.grouping import by_subject
from longctx.results.subject import Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary

GUESSING = f"Dashed: what guessing gives, {CHANCE}."
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
        yield Chart(f"qa-variants-{number}", "collage", title, _rows(points, "needle at"), frame, GUESSING)
    for number, (subject, group) in enumerate(by_subject(scenarios).items(), start=1):
        yield from _by_length(subject, group, number)
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
            "controls",
            "control",
            "With the right section alone, a wrong one, none",
            _rows(points, "model"),
            frame,
            GUESSING,
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


def _by_length(subject: Subject, scenarios: Sequence[ScenarioSummary], number: int) -> Iterator[Chart]:
    """Yield a chart of what records of every length were asked with; none if all have one length.

    A single variant has a curve for each position of the needle; of several, each has one curve over all positions.
    """
    cells: dict[tuple[str, str], dict[int, Rate]] = {}
    for scenario in scenarios:
        cell = variant(str(scenario.params["variant"])), position(scenario.params["depth"])
        cells.setdefault(cell, {})[int(scenario.params["budget"] or 0)] = scenario.rate
    budgets = sorted({budget for rates in cells.values() for budget in rates})
    whole = {cell: rates for cell, rates in cells.items() if len(rates) == len(budgets)}
    if len(budgets) < 2 or not whole:
        return
    names = list(dict.fromkeys(name for name, _ in whole))
    series: dict[str, list[dict[int, Rate]]] = {}
    for (name, where), rates in whole.items():
        series.setdefault(name if len(names) > 1 else f"{name}, {where}", []).append(rates)
    points = [
        _length_point(name, budget, [rates[budget] for rates in group])
        for name, group in series.items()
        for budget in budgets
    ]
    frame = pivot([(point["tokens"], point["series"], point["text"]) for point in points], "tokens")
    scale = {"type": "log", "zero": False, "nice": False, "padding": 16}
    x = field("tokens", "quantitative", "tokens of the record", scale=scale, axis={"values": budgets})
    moved, note = apart(points, "tokens")
    legend = "variant" if len(names) > 1 else "variant, needle at"
    spec = layered(moved, [at(CHANCE, "y"), *curves(x, colours("series", list(series), legend))])
    title = f"By length of the record: {subject}"
    yield Chart(f"qa-by-length-{number}", "collage", title, spec, frame, note_of(GUESSING, note))


def _length_point(series: str, tokens: int, rates: Sequence[Rate]) -> dict[str, Any]:
    rate = Rate(sum(rate.correct for rate in rates), sum(rate.n for rate in rates))
    return {
        "tokens": tokens,
        "series": series,
        "rate": rate.rate,
        "lo": rate.lo,
        "hi": rate.hi,
        "text": str(rate),
        "say": f"{tokens:,} tokens, {series}: {rate}",
    }


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
    title = f"What helps: {summary.subject}, {summary.budget:,} tokens"
    return Chart(f"qa-effects-{number}", "collage", title, spec, frame, "Dashed: no difference.")


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
