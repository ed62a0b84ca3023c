"""The charts of the alike texts: rate by window, and which text was given back for which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from longctx.families.coreference.conversation import ordinal
from longctx.families.coreference.returned import Returned, of_all_windows, shape
from longctx.report.charts.chart import Chart, apart, at, colours, curves, field, heat, layered, note_of
from longctx.report.table import pivot
from longctx.results.grouping import by_subject
from longctx.summary.summary import ScenarioSummary


def by_window(scenarios: Sequence[ScenarioSummary]) -> Iterator[Chart]:
    """Yield a chart for each subject, with a curve for each number of alike texts, and a dashed line at chance."""
    for number, (subject, group) in enumerate(by_subject(scenarios).items(), start=1):
        shapes = sorted({shape(scenario) for scenario in group})
        windows = sorted({window for _, window in shapes})
        if len(windows) < 2:
            continue
        points = [_point(scenario) for scenario in sorted(group, key=shape)]
        names = list(dict.fromkeys(str(point["needles"]) for point in points))
        guesses = [at(1 / needles, "y") for needles in sorted({needles for needles, _ in shapes})]
        kind = "log" if windows[-1] >= 10 * windows[0] else "linear"
        scale = {"type": kind, "zero": False, "nice": False, "padding": 16}
        axis = {"values": windows, "format": ",d"}
        x = field("window", "quantitative", "window, tokens", scale=scale, axis=axis)
        moved, note = apart(points, "window")
        spec = layered(moved, [*guesses, *curves(x, colours("needles", names))])
        frame = pivot([(point["window"], str(point["needles"]), str(point["text"])) for point in points], "window")
        note = note_of("Dashed: what guessing among the needles gives.", note)
        yield Chart(f"coreference-by-window-{number}", "coreference", f"By window: {subject}", spec, frame, note)


def _point(scenario: ScenarioSummary) -> dict[str, Any]:
    (needles, window), rate = shape(scenario), scenario.rate
    return {
        "window": window,
        "needles": f"{needles} needles",
        "rate": rate.rate,
        "lo": rate.lo,
        "hi": rate.hi,
        "text": str(rate),
        "say": f"{needles} needles in {window:,} tokens: {rate}",
    }


def given_for_asked(analysis: Sequence[Returned]) -> Iterator[Chart]:
    """Yield, for each subject and number of alike texts, what was given back (across) for what was asked (down)."""
    for number, texts in enumerate(of_all_windows(analysis), start=1):
        if not texts.given:
            continue
        names = [ordinal(place) for place in range(1, texts.needles + 1)]
        values = []
        for asked, name in enumerate(names, start=1):
            counts = [texts.given.get((asked, given), 0) for given in range(1, texts.needles + 1)]
            for other, count in zip(names, counts, strict=True):
                share = count / sum(counts) if count else 0.0
                say = f"asked for the {name}, the {other} was given: {count:,}"
                values.append({"asked": name, "given": other, "rate": share, "text": f"{count:,}", "say": say})
        spec = heat(
            values,
            x=field("given", "ordinal", "given back", sort=names),
            y=field("asked", "ordinal", "asked for", sort=names),
        )
        frame = pivot([(str(value["asked"]), str(value["given"]), str(value["text"])) for value in values], "asked for")
        title = f"Which of {texts.needles} needles was given back: {texts.subject}"
        yield Chart(f"coreference-given-{number}", "coreference", title, spec, frame)
