"""The chart of a gate: the change of accuracy in each band."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from longctx.gate.verdict import RunVerdict
from longctx.report.verdict_blocks import is_unknown
from longctx.views.chart import Chart, Plot, PlotMark, Table
from longctx.vocabulary.point import PROTOCOL


@dataclass(frozen=True, slots=True)
class ForestBand:
    """The change of accuracy in one band of a gate."""

    name: str
    verdict: str
    difference: float
    interval: tuple[float, float]
    """The 95% interval of the difference."""
    n: int


def forest_bands(verdict: RunVerdict) -> Iterator[ForestBand]:
    """Yield the bands that have an interval; where a run replayed the baseline's own answers, it has no width."""
    several = len({judged.after for judged in verdict.tests}) > 1
    for test in verdict.tests:
        name = ", ".join([test.test, *[str(test.after)] * several]).replace(f", prompts {PROTOCOL}", "")
        for band, change in zip(test.bands, test.changes, strict=True):
            if band.n and not is_unknown(band):
                same = band.difference, band.difference
                drawn = same if band.same_answers else change.interval
                given = "invalid" if verdict.is_no_verdict else band.verdict
                yield ForestBand(f"{name}, {band.band.name}", given, band.difference, drawn, band.n)


def forest(bands: Iterable[ForestBand], margin: float) -> Chart | None:
    """Return the change of accuracy in each band of a gate, in percentage points; None without any.

    margin: the drop that the gate rules out, a share.
    """
    marks = [
        PlotMark(
            band.name,
            100 * band.difference,
            (100 * band.interval[0], 100 * band.interval[1]),
            series=band.verdict,
            say=f"{band.name}: {points(band.difference)} {between} n={band.n:,}, {band.verdict}",
            text=f"{points(band.difference)} {between}" if band.interval[0] < band.interval[1] else "same answers",
        )
        for band in bands
        for between in [f"[{', '.join(map(points, band.interval))}]"]
    ]
    if not marks:
        return None
    plot = Plot(
        marks=marks,
        kind="rows",
        value="change of accuracy, percentage points",
        ends=None,
        lines=[(0.0, "no change"), (-100 * margin, f"margin {points(-margin)}")],
        legend=None,
        colours={"pass": "var(--good)", "regression": "var(--bad)"}
        | dict.fromkeys(("inconclusive", "invalid"), "var(--ink-soft)"),
    )
    rows = [{"band": str(mark.x), "change": mark.text, "verdict": mark.series} for mark in marks]
    title = "Change of accuracy in each band [95% interval]"
    note = "A band passes if a drop of the margin is ruled out."
    return Chart("bands", "", title, plot, Table.from_rows(title, rows), note)


def points(share: float) -> str:
    """Return a difference of two accuracies in percentage points."""
    return f"{100 * share:+.1f}"
