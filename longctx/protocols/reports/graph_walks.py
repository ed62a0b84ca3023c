"""The table and the charts of graph walks: the nodes found, by the third of the list that has their edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from longctx import (
    Answers,
    Chart,
    Subject,
    Table,
)
from longctx.protocols.graph_walks import THIRDS, nodes, walk_of
from longctx.results.grouping import by_subject, grouped
from longctx.views.chart import HEIGHT, WIDTH, colours, field, rate_axis
from longctx.views.reporting import together

if TYPE_CHECKING:
    pass


def by_third(analysis: Sequence[Answers]) -> Iterator[Table | Chart]:
    """Yield a table of all walks, and a chart for each subject over all contexts, of answers that give a list."""
    if not any(answers.total("asked") for answers in analysis):
        return
    columns = {
        "context": [f"{answers.params['context']:,}" for answers in analysis],
        "walk": [walk_of(answers.params) for answers in analysis],
        **{third: [_share(*nodes(answers, third)) for answers in analysis] for third in THIRDS},
    }
    title = "Graph walks: nodes found, by the third of the list that holds their edge"
    yield Table.by_subject(title, [answers.subject for answers in analysis], columns)
    for number, (subject, group) in enumerate(by_subject(analysis).items(), start=1):
        if any(answers.total("asked") for answers in group):
            yield _found(subject, group, number)


def _found(subject: Subject, analysis: Sequence[Answers], number: int) -> Chart:
    walks = grouped(analysis, lambda answers: walk_of(answers.params))
    bars: list[dict[str, Any]] = []
    for third in THIRDS:
        for walk, group in walks.items():
            right, asked = nodes(together(group), third)
            text = _share(right, asked)
            share = right / asked if asked else None
            bars.append({"third": third, "walk": walk, "share": share, "text": text, "say": f"{third}, {walk}: {text}"})
    spec = {
        "data": {"values": [bar for bar in bars if bar["share"] is not None]},
        "width": WIDTH,
        "height": HEIGHT,
        "mark": {"type": "bar"},
        "encoding": {
            "x": field("third", "ordinal", "place of the edge in the list", sort=list(THIRDS), axis={"labelAngle": 0}),
            "xOffset": {"field": "walk", "type": "nominal", "sort": None},
            "y": rate_axis("share", "share of nodes found"),
            "color": colours("walk", list(walks)),
            "description": {"field": "say"},
        },
    }
    title = f"Nodes found, by the place of their edge: {subject}"
    cells = [(bar["third"], bar["walk"], bar["text"]) for bar in bars]
    table = Table.pivot(title, cells, "third of the list")
    return Chart(f"graph-walks-found-{number}", "", title, spec, table)


def _share(right: int, asked: int) -> str:
    return f"{right / asked:.2f} ({right:,} of {asked:,})" if asked else "-"
