"""The tables and charts of graph walks: exact sets, F1, where edges are missed, and what invented nodes are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from longctx.families.graph_walks.analysis import WalkAnswers, walk_of
from longctx.families.graph_walks.answers import ORIGINS, THIRDS
from longctx.report.charts.chart import HEIGHT, WIDTH, Chart, apart, colours, curves, field, layered, rate_axis
from longctx.report.table import Table, pivot, subject_columns
from longctx.results.grouping import by_subject
from longctx.results.subject import Subject
from longctx.summary.summary import ScenarioSummary

UPRIGHT = {"labelAngle": 0}


def scores(scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]) -> Table:
    """Return the rate of exact sets, the mean F1 of all answers, and the right nodes in answers with a list."""
    measured = {(answers.subject, answers.scenario): answers for answers in analysis}
    held = [measured.get((scenario.subject, scenario.scenario)) for scenario in scenarios]
    columns = {
        "context": [str(scenario.params["context"]) for scenario in scenarios],
        "walk": [walk_of(scenario.params) for scenario in scenarios],
        "exact set [95% interval]": [str(scenario.rate) for scenario in scenarios],
        "mean F1": [f"{answers.f1:.2f} n={answers.n}" if answers else "-" for answers in held],
        "right nodes": [f"{answers.right:,} of {answers.asked:,}" if answers else "-" for answers in held],
        "invented": [f"{sum(answers.invented.values()):,}" if answers else "-" for answers in held],
    }
    frame = pd.DataFrame(subject_columns([scenario.subject for scenario in scenarios]) | columns)
    return Table(
        "Graph walks: exact sets of nodes, and the nodes of answers that give a list", frame.set_index("model")
    )


def thirds(analysis: Sequence[WalkAnswers]) -> Table:
    """Return the nodes found, by the third of the list in which their edge is."""
    shares = {
        third: [_share(answers.right_in[third], answers.asked_in[third]) for answers in analysis] for third in THIRDS
    }
    title = "Graph walks: nodes found, by the third of the list in which their edge stands"
    return Table(title, _framed(analysis, shares))


def invented(analysis: Sequence[WalkAnswers]) -> Table:
    """Return the invented nodes by origin."""
    counts = {called: [str(answers.invented[origin]) for answers in analysis] for origin, called in ORIGINS.items()}
    return Table("Invented nodes: given and not asked for", _framed(analysis, counts), "graph_walks")


def _framed(analysis: Sequence[WalkAnswers], columns: dict[str, list[str]]) -> pd.DataFrame:
    """Return a row for each scenario."""
    head = subject_columns([answers.subject for answers in analysis])
    head |= {
        "context": [str(answers.context) for answers in analysis],
        "walk": [answers.walk for answers in analysis],
    }
    return pd.DataFrame(head | columns).set_index("model")


def charts(scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]) -> Iterator[Chart]:
    """Yield two charts for each subject: exact sets by context, and nodes found by third of the list."""
    for number, (subject, group) in enumerate(by_subject(analysis).items(), start=1):
        yield _exact(subject, [scenario for scenario in scenarios if scenario.subject == subject], number)
        if any(answers.listed for answers in group):
            yield _found(subject, group, number)


def _exact(subject: Subject, scenarios: Sequence[ScenarioSummary], number: int) -> Chart:
    points = [
        {
            "context": scenario.params["context"],
            "walk": walk_of(scenario.params),
            "rate": scenario.rate.rate,
            "lo": scenario.rate.lo,
            "hi": scenario.rate.hi,
            "text": str(scenario.rate),
            "say": f"{scenario.params['context']:,} tokens, {walk_of(scenario.params)}: {scenario.rate}",
        }
        for scenario in scenarios
    ]
    contexts = sorted({int(point["context"] or 0) for point in points})
    scale = {
        "type": "log" if contexts[-1] >= 10 * contexts[0] else "linear",
        "zero": False,
        "nice": False,
        "padding": 16,
    }
    x = field(
        "context", "quantitative", "tokens of the list of edges", scale=scale, axis={"values": contexts, "format": ",d"}
    )
    walks = list(dict.fromkeys(str(point["walk"]) for point in points))
    moved, note = apart(points, "context")
    frame = pivot([(point["context"], str(point["walk"]), str(point["text"])) for point in points], "context")
    spec = layered(moved, curves(x, colours("walk", walks)))
    return Chart(f"graph-walks-{number}", "graph_walks", f"Exact sets by context: {subject}", spec, frame, note)


def _found(subject: Subject, analysis: Sequence[WalkAnswers], number: int) -> Chart:
    """Return the chart of nodes found by third of the list, over all contexts."""
    walks = list(dict.fromkeys(answers.walk for answers in analysis))
    bars: list[dict[str, Any]] = []
    for third in THIRDS:
        for walk in walks:
            asked = sum(answers.asked_in[third] for answers in analysis if answers.walk == walk)
            right = sum(answers.right_in[third] for answers in analysis if answers.walk == walk)
            share, text = right / asked if asked else None, _share(right, asked)
            bars.append({"third": third, "walk": walk, "share": share, "text": text, "say": f"{third}, {walk}: {text}"})
    spec = {
        "data": {"values": [bar for bar in bars if bar["share"] is not None]},
        "width": WIDTH,
        "height": HEIGHT,
        "mark": {"type": "bar"},
        "encoding": {
            "x": field("third", "ordinal", "where the edge stands in the list", sort=list(THIRDS), axis=UPRIGHT),
            "xOffset": {"field": "walk", "type": "nominal", "sort": None},
            "y": rate_axis("share", "share of nodes found"),
            "color": colours("walk", walks),
            "description": {"field": "say"},
        },
    }
    frame = pivot([(bar["third"], bar["walk"], bar["text"]) for bar in bars], "third of the list")
    title = f"Nodes found, by where their edge stands: {subject}"
    return Chart(f"graph-walks-found-{number}", "graph_walks", title, spec, frame)


def _share(right: int, asked: int) -> str:
    return f"{right / asked:.2f} ({right:,} of {asked:,})" if asked else "-"
