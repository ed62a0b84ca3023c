"""Passkey: success by k, with the 20% line and k_max."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from longctx.measure.kmax import SUCCESS_RATE
from longctx.measure.summary import PasskeySummary, ScenarioSummary
from longctx.report.charts.chart import HEIGHT, Chart, at, colours, curves, field, layered
from longctx.report.table import pivot


def charts(scenarios: Sequence[ScenarioSummary], windows: Sequence[PasskeySummary]) -> Iterator[Chart]:
    """One a window, a curve a subject."""
    for window in dict.fromkeys(one.params["window"] for one in scenarios):
        group = [one for one in scenarios if one.params["window"] == window]
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
        spec = layered(points, [at(SUCCESS_RATE, "y"), *curves(x, colour), *_marks(reached, x, colour)])
        frame = pivot([(one.params["k"], str(one.subject), str(one.rate)) for one in group], "k")
        yield Chart(
            f"passkey-window-{window}", "passkey", f"Success by k in a window of {window:,} tokens", spec, frame
        )


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
    encoding = {"x": x, "color": colour, "description": {"field": "say"}}
    text = {"type": "text", "align": "right", "dx": -4, "aria": False}
    return [
        {"data": {"values": reached}, "mark": {"type": "rule", "strokeWidth": 2}, "encoding": encoding},
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
