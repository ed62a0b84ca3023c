"""The report of graph walks: the nodes found, by the third of the list that has their edge, and those invented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longctx import Answers, Causes, Chart, Plot, PlotMark, Report, Row, Table
from longctx.protocols.graph_walks import ORIGINS, THIRDS
from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Subject
from longctx.views.answers import together

ENOUGH = 20
"""The answers needed in each third of the list before a finding says where they are missed."""
APART = 0.15
"""The least difference between the shares found in two thirds that is reported."""


def by_third(analysis: Sequence[Answers]) -> Iterator[Table | Chart]:
    """Yield the shares of nodes found by place in the list: a table of all walks, and a chart for each subject."""
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
    found = [(third, walk, *nodes(together(group), third)) for third in THIRDS for walk, group in walks.items()]
    marks = [
        PlotMark(third, right / asked, series=walk, say=f"{third}, {walk}: {_share(right, asked)}")
        for third, walk, right, asked in found
        if asked
    ]
    title = f"Nodes found, by the place of their edge: {subject}"
    cells = [(third, walk, _share(right, asked)) for third, walk, right, asked in found]
    table = Table.pivot(title, cells, "third of the list")
    plot = Plot(marks=marks, kind="bars", value="share of nodes found")
    return Chart(f"graph-walks-found-{number}", "", title, plot, table)


def _share(right: int, asked: int) -> str:
    return f"{right / asked:.2f} ({right:,} of {asked:,})" if asked else "-"


def walk_of(params: Mapping[str, Any]) -> str:
    """Return a readable name of the operation."""
    return "parents" if params["operation"] == "parents" else f"depth {params['depth']}"


def f1(asked: int, given: int, right: int) -> float:
    """Return the harmonic mean of precision and recall, 2 x right / (asked + given); 1 if nothing is asked or given."""
    return 2 * right / (asked + given) if asked + given else 1.0


def mean_f1(answers: Answers) -> float:
    """Return the mean F1, with 0 for a reply without a list."""
    traces = [row.trace for row in answers.rows if _listed(row)]
    return sum(f1(trace["asked"], trace["given"], trace["right"]) for trace in traces) / answers.n


def _listed(row: Row) -> bool:
    return "asked" in row.trace


def nodes(answers: Answers, third: str) -> tuple[int, int]:
    """Return how many nodes were found whose edge is in this third of the list, and of how many."""
    return answers.total(f"right_{third}"), answers.total(f"asked_{third}")


def _missed(answers: Answers) -> Iterator[str]:
    """Yield where in the list most edges were missed."""
    found = {third: nodes(answers, third) for third in THIRDS}
    if min(asked for _, asked in found.values()) < ENOUGH:
        return
    shares = {third: right / asked for third, (right, asked) in found.items()}
    worst, best = min(THIRDS, key=shares.__getitem__), max(THIRDS, key=shares.__getitem__)
    if shares[best] - shares[worst] >= APART:
        most, least = (f"{right:,} of {asked:,}" for right, asked in (found[best], found[worst]))
        yield f"edges are found most often at the {best} of their list, {most}, and least often at its {worst}, {least}"


REPORT = Report(
    x="context",
    axis="tokens of the list of edges",
    series=walk_of,
    fewest=1,
    rate="exact set",
    columns={
        "mean F1": lambda answers: f"{mean_f1(answers):.2f}",
        "right nodes": lambda answers: f"{answers.total('right'):,} of {answers.total('asked'):,}",
        "invented": lambda answers: f"{sum(map(answers.total, ORIGINS)):,}",
    },
    causes=Causes(
        {called: origin for origin, called in ORIGINS.items()},
        of="invented nodes",
        title="invented nodes, given and not asked for",
    ),
    findings=_missed,
    data=lambda answers: {
        "cell": answers.cell,
        "n": answers.n,
        "f1": round(mean_f1(answers), 6),
        "listed": answers.count(_listed),
        "asked": answers.total("asked"),
        "right": answers.total("right"),
        "asked_in": {third: answers.total(f"asked_{third}") for third in THIRDS},
        "right_in": {third: answers.total(f"right_{third}") for third in THIRDS},
        "invented": {origin: answers.total(origin) for origin in ORIGINS},
    },
    more=by_third,
)
