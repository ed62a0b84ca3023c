"""Passkey: success by k, with the 20% line and k_max."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from longctx.families.passkey.effective_window import SUCCESS_RATE
from longctx.families.passkey.windows import PasskeySummary
from longctx.report.charts.chart import HEIGHT, Chart, apart, at, colours, curves, field, layered
from longctx.report.table import pivot
from longctx.summary.summary import ScenarioSummary


def charts(scenarios: Sequence[ScenarioSummary], windows: Sequence[PasskeySummary]) -> Iterator[Chart]:
    """One a window, a curve a subject."""
    for window in dict.fromkeys(scenario.params["window"] for scenario in scenarios):
        group = [scenario for scenario in scenarios if scenario.params["window"] == window]
        points = [
            {
                "k": one.params["k"],
                "subject": str(one.subject),
                "rate": one.rate.rate,
                "lo": one.rate.lo,
                "hi": one.rate.hi,
                "say": f"k {one.params['k']:,}, {one.subject}: {one.rate}",
            }
            for one in group
        ]
        subjects = list(dict.fromkeys(str(point["subject"]) for point in points))
        colour = colours("subject", subjects, "model")
        x = field("k", "quantitative", "k, tokens from the key to the end", axis={"format": ",d"})
        reached = [_k_max(one) for one in windows if one.window == window and one.effective.k_max is not None]
        moved, note = apart(points, "k")
        spec = layered(moved, [at(SUCCESS_RATE, "y"), *curves(x, colour), *_marks(reached, x, colour)])
        frame = pivot([(one.params["k"], str(one.subject), str(one.rate)) for one in group], "k")
        title = f"Success by k in a window of {window:,} tokens"
        yield Chart(f"passkey-window-{window}", "passkey", title, spec, frame, note)


def _k_max(one: PasskeySummary) -> dict[str, Any]:
    lo, hi = one.interval
    name = f"k_max {one.effective.k_max:,}"
    return {
        "k": one.effective.k_max,
        "name": name,
        "subject": str(one.subject),
        "say": f"{name} [{lo:,}, {hi:,}], {one.subject}",
    }


def _marks(reached: list[dict[str, Any]], x: dict[str, Any], colour: dict[str, Any]) -> list[dict[str, Any]]:
    """A line and its name for each k_max; lines at the same k stand side by side."""
    encoding = {"x": x, "color": colour, "description": {"field": "say"}}
    before = [sum(other["k"] == one["k"] for other in reached[:place]) for place, one in enumerate(reached)]
    text = {"type": "text", "align": "right", "dx": -4 - 3 * max(before, default=0), "aria": False}
    return [
        *(
            {"data": {"values": [one]}, "mark": {"type": "rule", "strokeWidth": 2, "xOffset": -3 * moved}}
            | {"encoding": encoding}
            for moved, one in zip(before, reached, strict=True)
        ),
        {
            "data": {"values": [{**one, "line": HEIGHT - 12 - 14 * place} for place, one in enumerate(reached)]},
            "mark": text,
            "encoding": {
                **encoding,
                "y": {"field": "line", "type": "quantitative", "scale": None},
                "text": {"field": "name"},
            },
        },
    ]
