"""What graph walks report: exact sets, F1, where in the list edges are missed, and what invented nodes are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from longctx import Account, Chart, Rank, RatePoint, RateView, ScenarioSummary, Subject, Table
from longctx.protocols.graph_walks import ORIGINS, THIRDS
from longctx.results.grouping import by_subject, grouped
from longctx.views.chart import HEIGHT, WIDTH, colours, field, rate_axis

if TYPE_CHECKING:
    from longctx import Row

NAME, TITLE = "graph_walks", "Graph walks"
ENOUGH = 20
"""The answers needed in each third of the list before a finding says where they are missed."""
APART = 0.15
"""The least difference between the shares found in two thirds that is reported."""


@dataclass(frozen=True, slots=True)
class WalkAnswers:
    """The answers to one scenario of one subject."""

    subject: Subject
    scenario: str
    walk: str
    context: int
    n: int
    """The measured trials."""
    f1: float
    """The mean F1, with 0 for a reply without a list."""
    listed: int
    """The answers that gave a list, in which the following are counted."""
    asked: int
    right: int
    asked_in: Mapping[str, int]
    """The nodes asked for, by the third of the list in which their edge is."""
    right_in: Mapping[str, int]
    """The right nodes, by the same."""
    invented: Mapping[str, int]
    """The wrong nodes, by origin."""


class GraphWalksAccount(Account):
    """The account of graph walks. analysis: the answers to each scenario."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[WalkAnswers, ...]:
        return tuple(_answers(rows))

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]) -> Iterator[RateView]:
        yield RateView(
            points=[
                RatePoint(
                    int(scenario.params["context"] or 0), walk_of(scenario.params), scenario.rate, str(scenario.subject)
                )
                for scenario in scenarios
            ],
            name="graph-walks",
            heading=TITLE,
            title="Exact sets by context",
            x="context",
            axis="tokens of the list of edges",
            unit="tokens",
            fewest=1,
        )

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]) -> Iterator[Table]:
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
        title = f"{TITLE}: exact sets of nodes, and the nodes of answers that give a list"
        yield Table.by_subject(title, [scenario.subject for scenario in scenarios], columns)
        if any(answers.listed for answers in analysis):
            title = f"{TITLE}: nodes found, by the third of the list that holds their edge"
            shares = {
                third: [_share(answers.right_in[third], answers.asked_in[third]) for answers in analysis]
                for third in THIRDS
            }
            yield _by_scenario(title, analysis, shares)

    def further_tables(self, analysis: Sequence[WalkAnswers]) -> Iterator[Table]:
        if any(sum(answers.invented.values()) for answers in analysis):
            counts = {
                called: [str(answers.invented[origin]) for answers in analysis] for origin, called in ORIGINS.items()
            }
            yield _by_scenario("Invented nodes: given and not asked for", analysis, counts, NAME)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]) -> Iterator[Chart]:
        yield from super().charts(scenarios, analysis) or ()
        for number, (subject, group) in enumerate(by_subject(analysis).items(), start=1):
            if any(answers.listed for answers in group):
                yield _found(subject, group, number)

    def findings(
        self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[WalkAnswers]
    ) -> Iterator[tuple[Rank, str]]:
        yield from super().findings(scenarios, analysis)
        for why in (_missed, _invented):
            for subject, group in by_subject(analysis).items():
                yield from ((Rank.CAUSE, f"{TITLE}, {subject}: {sentence}.") for sentence in why(group))

    def data(self, analysis: Sequence[WalkAnswers]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {NAME: [_entry(answers) for answers in analysis]}


def f1(asked: int, given: int, right: int) -> float:
    """Return the harmonic mean of precision and recall, 2 x right / (asked + given); 1 if nothing is asked or given."""
    return 2 * right / (asked + given) if asked + given else 1.0


def walk_of(params: Mapping[str, object]) -> str:
    """Return a readable name of the operation."""
    return "parents" if params["operation"] == "parents" else f"depth {params['depth']}"


def _answers(rows: Iterable[Row]) -> Iterator[WalkAnswers]:
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


def _entry(answers: WalkAnswers) -> dict[str, Any]:
    numbers = asdict(answers)
    del numbers["subject"], numbers["walk"], numbers["context"]  # the subject's fields and the scenario tell them
    return {**answers.subject.fields, **numbers, "f1": round(answers.f1, 6)}


def _by_scenario(
    title: str, analysis: Sequence[WalkAnswers], columns: Mapping[str, Sequence[str]], family: str = ""
) -> Table:
    """Return a table with a row for each scenario."""
    scenario = {
        "context": [str(answers.context) for answers in analysis],
        "walk": [answers.walk for answers in analysis],
    }
    return Table.by_subject(title, [answers.subject for answers in analysis], {**scenario, **columns}, family)


def _found(subject: Subject, analysis: Sequence[WalkAnswers], number: int) -> Chart:
    """Return the chart of nodes found by third of the list, over all contexts."""
    walks = grouped(analysis, lambda answers: answers.walk)
    bars: list[dict[str, Any]] = []
    for third in THIRDS:
        for walk, group in walks.items():
            right, asked = _nodes(group, third)
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
    return Chart(f"graph-walks-found-{number}", NAME, title, spec, table)


def _missed(analysis: Sequence[WalkAnswers]) -> Iterator[str]:
    """Yield where in the list most edges were missed."""
    nodes = {third: _nodes(analysis, third) for third in THIRDS}
    if min(asked for _, asked in nodes.values()) < ENOUGH:
        return
    shares = {third: right / asked for third, (right, asked) in nodes.items()}
    worst, best = min(THIRDS, key=shares.__getitem__), max(THIRDS, key=shares.__getitem__)
    if shares[best] - shares[worst] >= APART:
        most, least = (f"{right:,} of {asked:,}" for right, asked in (nodes[best], nodes[worst]))
        yield f"edges are found most often at the {best} of their list, {most}, and least often at its {worst}, {least}"


def _invented(analysis: Sequence[WalkAnswers]) -> Iterator[str]:
    """Yield what most of the invented nodes are."""
    counts = {origin: sum(answers.invented[origin] for answers in analysis) for origin in ORIGINS}
    most, total = max(ORIGINS, key=counts.__getitem__), sum(counts.values())
    if total and counts[most] / total >= 0.5:
        yield f"of {total:,} invented nodes {counts[most]:,} are {ORIGINS[most]}"


def _nodes(analysis: Sequence[WalkAnswers], third: str) -> tuple[int, int]:
    """Return how many nodes were found whose edge is in this third of the list, and of how many."""
    return sum(answers.right_in[third] for answers in analysis), sum(answers.asked_in[third] for answers in analysis)


def _share(right: int, asked: int) -> str:
    return f"{right / asked:.2f} ({right:,} of {asked:,})" if asked else "-"
