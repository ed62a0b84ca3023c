"""The charts of passkey retrieval: success by k, with the 20% line and k_max."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from longctx.families.passkey.effective_window import SUCCESS_RATE
from longctx.families.passkey.windows import PasskeySummary
from longctx.report.charts.chart import HEIGHT, Chart, apart, at, colours, curves, field, layered, note_of
from longctx.report.table import pivot
from longctx.summary.summary import ScenarioSummary


def charts(scenarios: Sequence[ScenarioSummary], windows: Sequence[PasskeySummary]) -> Iterator[Chart]:
    """Yield a chart for each window, with a curve for each subject."""
    for window in dict.fromkeys(scenario.params["window"] for scenario in scenarios):
        group = [scenario for scenario in scenarios if scenario.params["window"] == window]
        points = [
            {
                "k": scenario.params["k"],
                "subject": str(scenario.subject),
                "rate": scenario.rate.rate,
                "lo": scenario.rate.lo,
                "hi": scenario.rate.hi,
                "say": f"k {scenario.params['k']:,}, {scenario.subject}: {scenario.rate}",
            }
            for scenario in group
        ]
        subjects = list(dict.fromkeys(str(point["subject"]) for point in points))
        colour = colours("subject", subjects, "model")
        x = field("k", "quantitative", "k, tokens from the key to the end", axis={"format": ",d"})
        reached = [
            _k_max(summary) for summary in windows if summary.window == window and summary.effective.k_max is not None
        ]
        moved, note = apart(points, "k")
        spec = layered(moved, [at(SUCCESS_RATE, "y"), *curves(x, colour), *_marks(reached, x, colour)])
        frame = pivot([(scenario.params["k"], str(scenario.subject), str(scenario.rate)) for scenario in group], "k")
        title = f"Success by k in a window of {window:,} tokens"
        dashed = f"Dashed: a rate of {SUCCESS_RATE}, which k_max and every shorter distance must reach."
        yield Chart(f"passkey-window-{window}", "passkey", title, spec, frame, note_of(dashed, note))


def _k_max(summary: PasskeySummary) -> dict[str, Any]:
    lo, hi = summary.interval
    name = f"k_max {summary.effective.k_max:,}"
    return {
        "k": summary.effective.k_max,
        "name": name,
        "subject": str(summary.subject),
        "say": f"{name} [{lo:,}, {hi:,}], {summary.subject}",
    }


def _marks(reached: list[dict[str, Any]], x: dict[str, Any], colour: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a line and its name for each k_max; lines at the same k are drawn side by side."""
    encoding = {"x": x, "color": colour, "description": {"field": "say"}}
    before = [sum(other["k"] == line["k"] for other in reached[:place]) for place, line in enumerate(reached)]
    text = {"type": "text", "align": "right", "dx": -4 - 3 * max(before, default=0), "aria": False}
    return [
        *(
            {"data": {"values": [line]}, "mark": {"type": "rule", "strokeWidth": 2, "xOffset": -3 * moved}}
            | {"encoding": encoding}
            for moved, line in zip(before, reached, strict=True)
        ),
        {
            "data": {"values": [{**line, "line": HEIGHT - 12 - 14 * place} for place, line in enumerate(reached)]},
            "mark": text,
            "encoding": {
                **encoding,
                "y": {"field": "line", "type": "quantitative", "scale": None},
                "text": {"field": "name"},
            },
        },
    ]
