"""The analysis of graph walks: how much of each answer was right, and what the rest was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from longctx.families.graph_walks.answers import ORIGINS, THIRDS, f1
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject


@dataclass(frozen=True, slots=True)
class WalkAnswers:
    """The answers to one scenario of one subject.

    n: the measured trials. f1: the mean F1, with 0 for a reply without a list. listed: the answers that gave a list. In
    these: asked and right count nodes, asked_in and right_in count them by third of the list of edges, and invented
    counts wrong nodes by origin.
    """

    subject: Subject
    scenario: str
    walk: str
    context: int
    n: int
    f1: float
    listed: int
    asked: int
    right: int
    asked_in: Mapping[str, int]
    right_in: Mapping[str, int]
    invented: Mapping[str, int]


def analyse(rows: Iterable[Row]) -> Iterator[WalkAnswers]:
    """Analyse each scenario of each subject. rows: measured trials of graph walks."""
    for (subject, scenario), group in grouped(rows, lambda row: (row.subject, row.scenario)).items():
        params, traces = group[0].params, [row.trace for row in group]
        listed = [trace for trace in traces if "asked" in trace]
        sums = Counter[str]()
        for trace in listed:
            sums.update(trace)
        yield WalkAnswers(
            subject=subject,
            scenario=scenario,
            walk=walk_of(params),
            context=int(params["context"] or 0),
            n=len(traces),
            f1=sum(f1(trace["asked"], trace["given"], trace["right"]) for trace in listed) / len(traces),
            listed=len(listed),
            asked=sums["asked"],
            right=sums["right"],
            asked_in={third: sums[f"asked_{third}"] for third in THIRDS},
            right_in={third: sums[f"right_{third}"] for third in THIRDS},
            invented={origin: sums[origin] for origin in ORIGINS},
        )


def walk_of(params: Mapping[str, object]) -> str:
    """Return a readable name of the operation."""
    return "parents" if params["operation"] == "parents" else f"depth {params['depth']}"
