"""Graph walks: a list of directed edges fills the context; which nodes lie at a depth, or are the parents of a node?

Source: OpenAI, GraphWalks, 2025, https://huggingface.co/datasets/openai/graphwalks, worded as corrected on 2026-02-27,
with an additional sentence that states what depth means. The published answers have errors; here they are computed. All
other differences, and their reasons, are in docs/protocols.md.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from longctx import (
    Answer,
    Axes,
    Count,
    Counts,
    Mark,
    Outcome,
    ProtocolAsk,
    ProtocolCell,
    ProtocolDraw,
    TrialNumber,
    mark,
    protocol,
    unanswered,
)
from longctx.vocabulary.counts import checked_counts
from longctx.vocabulary.grid import QUESTIONS, Size, questions_of
from longctx.vocabulary.point import Templates

OPERATIONS = "parents", "bfs"
FEW, MANY = 40, 400
"""The numbers of edges of two texts whose difference gives the tokens of an edge."""
OTHER_TOKENS = 500
"""About the tokens of the prompt without its edges."""
SHOWN_EDGES = 6
"""The most edges that the report marks of those found, and of those missed."""


def _walk(value: Any) -> str | int:
    if value == "parents" or (type(value) is int and value >= 1):
        return value  # type: ignore[no-any-return]
    raise ValueError('a walk is "parents", or a number: the depth of a breadth-first search')


class GraphWalksAxes(Axes):
    """The combinations of contexts and walks: a cell for each."""

    sizes: ClassVar[str] = "contexts"
    contexts: tuple[Size, ...] = Field(min_length=1)
    """Tokens that the list of edges takes, by the model's own tokenizer; or shares of the model's window."""
    walks: tuple[Annotated[Any, BeforeValidator(_walk)], ...] = Field(default=("parents", 1, 2, 3), min_length=1)
    """`"parents"`, or a number: the depth of a breadth-first search."""
    questions: int = QUESTIONS
    """How many trials of a walk ask about one graph, each from another node."""
    max_tokens: Count = 4096
    """The most tokens of a reply, which reasons first."""

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        return room - self.max_tokens - OTHER_TOKENS

    def cells(self) -> Iterator[dict[str, object]]:
        for context, walk in itertools.product(self.contexts, self.walks):
            operation, depth = ("parents", None) if walk == "parents" else ("bfs", walk)
            questions = questions_of(self.questions)
            yield {"context": context, "operation": operation, "depth": depth, "questions": questions}


def node_count(cell: ProtocolCell) -> int:
    """Return the number of the graph's nodes. Raises ValueError if the graph would be too small for the walk."""
    node = EDGES_A_NODE * cell.counted["edge"]
    nodes, least = int(cell.context / node), 2 * EDGES_A_NODE ** (cell.depth or 1)
    if nodes < least:
        raise ValueError(
            f"{cell.context} tokens of edges are too few for {cell.slug}, which needs a graph of {least} nodes: use at "
            f"least {math.ceil(least * node)}."
        )
    return nodes


def drawn(draw: ProtocolDraw, cell: ProtocolCell, trial: TrialNumber) -> Walk:
    """Return the walk from the first node, in random order, that has an answer; for further questions about the same
    graph, from the next such nodes. Raises ValueError if there are not enough."""
    graph = draw_graph(draw.stream(cell.context, trial.seed, trial.context), node_count(cell))
    walks = (Walk(graph, int(node), cell.depth) for node in draw.shared().stream().permutation(len(graph.names)))
    answered = (walk for walk in walks if len(walk.answer()))
    if walk := next(itertools.islice(answered, trial.question, None), None):
        return walk
    raise ValueError(
        f"a graph of {len(graph.names)} nodes has too few walks for {cell.questions} questions: use fewer."
    )


def _probes(words: Templates) -> dict[str, str]:
    """Return two lists of edges. No name occurs in two edges, because names differ in tokens."""
    ends = np.arange(2 * MANY).reshape(MANY, 2)
    return {
        f"{edges} edges": edge_lines(words["edge"], names_of(NAMES), ends[:edges, 0], ends[:edges, 1])
        for edges in (FEW, MANY)
    }


def _values(counts: Mapping[str, int]) -> dict[str, float]:
    edge = (counts[f"{MANY} edges"] - counts[f"{FEW} edges"]) / (MANY - FEW)
    return checked_counts({"edge": round(edge, 4)})


def _validate(cell: ProtocolCell) -> None:
    if cell.operation not in OPERATIONS:
        raise ValueError(f"there is no operation {cell.operation!r}: choose from {', '.join(OPERATIONS)}.")
    if (cell.operation == "bfs") != (cell.depth is not None) or cell.depth == 0:
        raise ValueError("a breadth-first search (bfs) has a depth of at least 1, and parents have none.")


def _graph(cell: ProtocolCell, index: int) -> str:
    """Return the context and the number of its graph, which all operations share."""
    return f"context-{cell.context}-graph-{cell.context_of(index)[0]}"


@protocol(
    axes=GraphWalksAxes,
    title="Graph walks",
    templates={
        "system": (),
        "prompt": ("edges", "operation"),
        "edge": ("source", "target"),
        "parents": ("node",),
        "bfs": ("node", "depth"),
    },
    size=lambda cell, tokens: cell.context + OTHER_TOKENS,
    length="context",
    context=None,
    counts=Counts(_probes, _values, ("edge",), fits=node_count),
    prefix=lambda cell, words, seed, index: f"graph_walks/{cell.context:09d}/{cell.context_of(index)[0]:06d}",
    cluster=_graph,
    validate=_validate,
    report="longctx.protocols.reports.graph_walks_report:REPORT",
)
def graph_walks(
    ask: ProtocolAsk,
    draw: ProtocolDraw,
    prompt: Callable[..., str],
    cell: ProtocolCell,
    trial: TrialNumber,
    context: int,
    operation: str,
    depth: int | None = None,
    questions: int | None = None,
) -> Outcome:
    """A graph whose edges fill about `context` tokens, and an `operation` on it: `parents`, or `bfs` to a `depth`.

    All operations with the same context and index ask about the same graph. questions: how many trials ask about one
    graph, each from another node; None for one.
    """
    walk = drawn(draw, cell, trial)
    graph = walk.graph
    asked = prompt(operation, node=graph.names[walk.node], depth=str(depth))
    text = prompt("prompt", edges=graph.text(prompt("edge")), operation=asked)

    answer = ask(text, expected=", ".join(sorted(graph.names[walk.answer()])), params={"nodes": len(graph.names)})

    outcome = judge_answer(answer, walk)
    marks = [Mark("operation", start := text.rindex(asked), start + len(asked))]
    given = set((outcome.returned or "").split(", "))
    shown: Counter[str] = Counter()
    places, nodes = walk.last_edges()
    sources, targets = graph.ends(graph.order[places])
    for source, target, node in zip(graph.names[sources], graph.names[targets], graph.names[nodes], strict=True):
        name = "edge that was found" if node in given else "edge that was missed"
        shown[name] += 1
        if shown[name] <= SHOWN_EDGES:
            marks += mark(name, text, prompt("edge", source=source, target=target))
    return replace(outcome, marks=marks)


def judge_answer(answer: Answer, walk: Walk) -> Outcome:
    """Judge the list of nodes in an answer: it must be the exact set."""
    given = given_nodes(answer.text)
    if answer.stop_reason == "refusal" or given is None:
        return unanswered(answer, lacks="no 'Final Answer: [...]' in the reply")
    right, why, trace = compared(walk, given)
    if right:
        return Outcome("correct", ", ".join(given), why, trace)
    return Outcome("truncated" if answer.cut_off else "wrong", ", ".join(given), why, trace)


def given_nodes(text: str) -> list[str] | None:
    """Return the different nodes of the last complete list that is called the final answer; None if there is none.

    The source reads the last line only, but many models write on after their answer, as other harnesses report.
    """
    lists = re.findall(r"final answer\W*?\[([^\[\]]*)\]", text, re.IGNORECASE)
    if not lists:
        return None
    names = (name.strip(" \t\r\n'\"`*") for name in lists[-1].split(","))
    return list(dict.fromkeys(name for name in names if name))


def compared(walk: Walk, given: Sequence[str]) -> tuple[bool, str, dict[str, int]]:
    """Return whether the set is exact, a sentence about it, and its counts.

    The counts are the nodes asked for, given and right; those asked for and found in each third of the list of edges;
    and the invented nodes by origin.
    """
    names = walk.graph.names
    asked = {names[node]: int(node) for node in walk.answer()}
    numbers = {name: number for number, name in enumerate(names)}
    right = asked.keys() & set(given)
    invented = [name for name in given if name not in asked]
    known = [numbers[name] for name in invented if name in numbers]
    origins = Counter[str](walk.origins(known))
    origins["unknown"] = len(invented) - len(known)
    trace = {"asked": len(asked), "given": len(given), "right": len(right)}
    for node, third in _thirds(walk).items():
        trace[f"asked_{third}"] = trace.get(f"asked_{third}", 0) + 1
        trace[f"right_{third}"] = trace.get(f"right_{third}", 0) + (names[node] in right)
    trace |= {origin: origins[origin] for origin in ORIGINS if origins[origin]}
    missing = len(asked) - len(right)
    parts = [f"{len(right)} of {len(asked)} nodes are given"]
    if invented:
        listed = ", ".join(f"{origins[origin]} {called}" for origin, called in ORIGINS.items() if origins[origin])
        parts.append(f"{len(invented)} invented ({listed})")
    return not missing and not invented, ", ".join(parts), trace


def _thirds(walk: Walk) -> dict[int, str]:
    """Return, for each node asked for, the third of the list that contains the first edge leading to it."""
    places, nodes = walk.last_edges()
    thirds = 3 * places // len(walk.graph.order)
    return {int(node): THIRDS[third] for node, third in reversed(list(zip(nodes, thirds, strict=True)))}


Nodes = NDArray[np.int64]

EDGES_A_NODE = 3
"""The edges from each node. They lead to different nodes, never to the node itself."""
NAMES = 4096
"""The number of names to draw from, or the next power of two if the graph has more nodes."""

Origin = Literal["nearer", "backwards", "elsewhere"]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A directed graph."""

    children: Nodes
    """Shape (nodes, EDGES_A_NODE)."""
    order: Nodes
    """The edges in the order of the text; edge e leads from node e // EDGES_A_NODE."""
    names: NDArray[np.object_]
    """Shape (nodes,)."""

    def layers(self, start: int, depth: int) -> list[Nodes]:
        """Return the nodes at each depth from 0 to `depth`, the length of the shortest path from the start."""
        seen = np.zeros(len(self.children), dtype=bool)
        layers = [np.array([start], dtype=np.int64)]
        for _ in range(depth):
            seen[layers[-1]] = True
            reached = np.unique(self.children[layers[-1]])
            layers.append(reached[~seen[reached]])
        return layers

    def parents(self, nodes: int | Nodes) -> Nodes:
        """Return the nodes from which an edge leads to any of these."""
        parents: Nodes = np.flatnonzero(np.isin(self.children, nodes).any(axis=1))
        return parents

    def text(self, template: str) -> str:
        return edge_lines(template, self.names, *self.ends(self.order))

    def ends(self, edges: Nodes) -> tuple[Nodes, Nodes]:
        """Return the nodes that edges lead from, and those that they lead to."""
        return edges // EDGES_A_NODE, self.children.ravel()[edges]


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A breadth-first search from a node to `depth`, or the node's parents if `depth` is None."""

    graph: Graph
    node: int
    depth: int | None

    def answer(self) -> Nodes:
        """Return the nodes asked for, in ascending order."""
        return self.graph.parents(self.node) if self.depth is None else self.graph.layers(self.node, self.depth)[-1]

    def last_edges(self) -> tuple[Nodes, Nodes]:
        """Return the edges whose other end is in the answer: their places in the list, ascending, and that end.

        They are the last steps of a search, or the edges from the parents to the given node.
        """
        children, depth = self.graph.children, self.depth
        if depth is None:
            sources, columns = np.nonzero(children == self.node)
            edges, nodes = sources * EDGES_A_NODE + columns, sources
        else:
            *_, before, answer = self.graph.layers(self.node, depth)
            edges = (before[:, None] * EDGES_A_NODE + np.arange(EDGES_A_NODE)).ravel()
            nodes = children.ravel()[edges]
            kept = np.isin(nodes, answer)
            edges, nodes = edges[kept], nodes[kept]
        places = np.argsort(self.graph.order)[edges]
        rising = np.argsort(places)
        return places[rising], nodes[rising]

    def origins(self, nodes: Sequence[int]) -> list[Origin]:
        """Return the origin of each of these nodes, which were given but are not in the answer."""
        nearer, backwards = {self.node}, set(self._backwards().tolist())
        for layer in self.graph.layers(self.node, self.depth)[:-1] if self.depth else ():
            nearer.update(layer.tolist())
        return ["nearer" if node in nearer else "backwards" if node in backwards else "elsewhere" for node in nodes]

    def _backwards(self) -> Nodes:
        """Return the answer of the same walk with all edges reversed."""
        if self.depth is None:
            children: Nodes = self.graph.children[self.node]
            return children
        seen = np.zeros(len(self.graph.children), dtype=bool)
        layer = np.array([self.node])
        for _ in range(self.depth):
            seen[layer] = True
            reached = self.graph.parents(layer)
            layer = reached[~seen[reached]]
        return layer


def draw_graph(stream: np.random.RandomState, nodes: int) -> Graph:
    """Draw a graph. nodes: more than EDGES_A_NODE + 1."""
    names = names_of(max(NAMES, 1 << (nodes - 1).bit_length()))
    names = names[stream.permutation(len(names))[:nodes]]
    steps = stream.randint(1, nodes, (nodes, EDGES_A_NODE), dtype=np.int64)
    while len(again := np.flatnonzero(_repeat(steps))):
        steps[again] = stream.randint(1, nodes, (len(again), EDGES_A_NODE), dtype=np.int64)
    children = (np.arange(nodes)[:, None] + steps) % nodes
    return Graph(children, stream.permutation(children.size), names)


def edge_lines(template: str, names: NDArray[np.object_], sources: Nodes, targets: Nodes) -> str:
    """Return a line for each edge from sources to targets. Looking the pieces up is faster than formatting them."""
    ends = {"source": sources, "target": targets}
    before, *parts = re.split(r"\{(source|target)\}", template)
    pieces = np.empty((len(sources), len(parts) // 2), dtype=object)
    for column, (end, after) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        last = "\n" if column == pieces.shape[1] - 1 else ""
        named = (before if column == 0 else "") + names + (after + last)
        pieces[:, column] = named[ends[end]]
    return "".join(pieces.ravel().tolist()).removesuffix("\n")


def _repeat(rows: Nodes) -> NDArray[np.bool_]:
    """Return, for each row of an array, whether it contains a number twice."""
    ordered = np.sort(rows, axis=1)
    repeated: NDArray[np.bool_] = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    return repeated


@functools.lru_cache(maxsize=4)
def names_of(count: int) -> NDArray[np.object_]:
    """Return names of ten hexadecimal digits. The source takes the first digits of the MD5
    digests of 0, 1, 2 …, which models may have learnt.
    """
    digests = (hashlib.sha256(f"graph_walks/{number}".encode()).hexdigest() for number in range(count))
    return np.array([digest[:10] for digest in digests], dtype=object)


THIRDS = "beginning", "middle", "end"
"""The parts of the list of edges."""


ORIGINS = {
    "nearer": "nearer to the given node, or that node itself",
    "backwards": "found by walking edges backwards",
    "elsewhere": "elsewhere in the graph",
    "unknown": "in no edge at all",
}
"""Readable names of the kinds of invented nodes."""
