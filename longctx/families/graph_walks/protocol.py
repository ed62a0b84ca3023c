"""Graph walks: a list of directed edges fills the context; which nodes lie at a depth, or are the parents of a node?

Source: OpenAI, GraphWalks, 2025, https://huggingface.co/datasets/openai/graphwalks, worded as corrected on 2026-02-27,
with an additional sentence that says what depth means. The published answers have errors; here they are computed. All
other differences, and their reasons, are in docs/protocols/graph-walks.md.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from longctx import Mark, Outcome, Reply, Scenario, Trial, Words, fill, mark, unanswered
from longctx.families.graph_walks.answers import compared, given_nodes
from longctx.families.graph_walks.graph import EDGES_A_NODE, NAMES, Graph, Walk, draw_graph, edge_lines, names_of
from longctx.vocabulary.stream import frozen_stream
from longctx.vocabulary.token_counts import check_profile, checked_counts

OPERATIONS = "parents", "bfs"
FEW, MANY = 40, 400
"""The numbers of edges of two texts whose difference gives the tokens of an edge."""
OTHER_TOKENS = 500
"""About the tokens of the prompt without its edges."""
SHOWN = 6
"""The most edges that the report marks of those found, and of those missed."""


@dataclass(frozen=True, slots=True)
class GraphWalks(Scenario):
    """A graph whose edges fill about `context` tokens, and an `operation` on it: `parents`, or `bfs` to a `depth`.

    All operations with the same context and index ask about the same graph. edge_tokens: the mean tokens of an edge.
    """

    family: ClassVar[str] = "graph_walks"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("context", "operation", "depth", "questions")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prompt": ("edges", "operation"),
        "edge": ("source", "target"),
        "parents": ("node",),
        "bfs": ("node", "depth"),
    }

    context: int
    operation: str
    depth: int | None = None
    questions: int | None = field(default=None, kw_only=True)
    """How many trials ask about one graph, each from another node; None for one."""
    max_tokens: int = field(default=4096, kw_only=True)
    edge_tokens: float | None = None

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS:
            raise ValueError(f"there is no operation {self.operation!r}: choose from {', '.join(OPERATIONS)}.")
        if (self.operation == "bfs") != (self.depth is not None) or self.depth == 0:
            raise ValueError("a breadth-first search (bfs) has a depth of at least 1, and parents have none.")

    @property
    def questions_per_context(self) -> int:
        return self.questions or 1

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        """Return two lists of edges. No name occurs in two edges, because names differ in tokens."""
        ends = np.arange(2 * MANY).reshape(MANY, 2)
        return {
            f"{edges} edges": edge_lines(words["edge"], names_of(NAMES), ends[:edges, 0], ends[:edges, 1])
            for edges in (FEW, MANY)
        }

    @classmethod
    def token_values(cls, counts: Mapping[str, int]) -> dict[str, float]:
        edge = (counts[f"{MANY} edges"] - counts[f"{FEW} edges"]) / (MANY - FEW)
        return checked_counts({"edge": round(edge, 4)})

    def fit(self, values: Mapping[str, float]) -> GraphWalks:
        check_profile(values, ("edge",))
        fitted = replace(self, edge_tokens=values["edge"])
        fitted.nodes()
        return fitted

    def nodes(self) -> int:
        """Return the number of the graph's nodes. Raises ValueError if the graph would be too small for the walk."""
        if self.edge_tokens is None:
            raise ValueError("the model's tokens per edge are not known.")
        node = EDGES_A_NODE * self.edge_tokens
        nodes, least = int(self.context / node), 2 * EDGES_A_NODE ** (self.depth or 1)
        if nodes < least:
            raise ValueError(
                f"{self.context} tokens of edges are too few for {self.slug}, which takes a graph of {least} nodes: "
                f"give at least {math.ceil(least * node)}."
            )
        return nodes

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        number, _ = self.context_of(index)
        graph = draw_graph(frozen_stream(self.family, self.version, self.context, seed, number), self.nodes())
        walk = self._walk(graph, seed, index)
        names: list[str] = graph.names[walk.answer()].tolist()
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=fill(words["prompt"], {"edges": graph.text(words["edge"]), "operation": self._asked(words, walk)}),
            expected=", ".join(sorted(names)),
            max_tokens=self.max_tokens,
            depth=0.0,
            prefix=self.prefix(words, seed, index),
            recorded={"nodes": len(graph.names)},
            facts=walk,
        )

    def _walk(self, graph: Graph, seed: int, index: int) -> Walk:
        """Return the walk from the first node, in random order, that has an answer; for further questions about the
        same graph, from the next such nodes. Raises ValueError if there are not enough."""
        number, place = self.context_of(index)
        walks = (Walk(graph, int(node), self.depth) for node in self.stream(seed, number).permutation(len(graph.names)))
        answered = itertools.islice((walk for walk in walks if len(walk.answer())), place, None)
        if walk := next(answered, None):
            return walk
        raise ValueError(
            f"a graph of {len(graph.names)} nodes has no walks for {self.questions} questions: give fewer."
        )

    def _asked(self, words: Words, walk: Walk) -> str:
        return fill(words[self.operation], {"node": walk.graph.names[walk.node], "depth": str(self.depth)})

    def prefix(self, words: Words, seed: int, index: int) -> str:
        return f"{self.family}/{self.context:09d}/{self.context_of(index)[0]:06d}"

    def cluster(self, index: int) -> str:
        """Return the context and the index, which name the graph that all operations share."""
        return f"context-{self.context}-graph-{self.context_of(index)[0]}"

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        given = given_nodes(reply.text)
        if reply.stop_reason == "refusal" or given is None:
            return unanswered(reply, lacks="no 'Final Answer: [...]' in the reply")
        walk: Walk = trial.facts
        right, why, trace = compared(walk, given)
        if right:
            return Outcome("correct", ", ".join(given), why, trace)
        return Outcome("truncated" if reply.cut_off else "wrong", ", ".join(given), why, trace)

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        walk: Walk = trial.facts
        given = set((outcome.returned or "").split(", "))
        asked = self._asked(words, walk)
        marks = [Mark("operation", start := trial.user.rindex(asked), start + len(asked))]
        shown: Counter[str] = Counter()
        edges, names = walk.graph.order, walk.graph.names
        for place, node in zip(*walk.last_edges(), strict=True):
            name = "edge that was found" if names[node] in given else "edge that was missed"
            shown[name] += 1
            if shown[name] <= SHOWN:
                source, target = edges[place] // EDGES_A_NODE, walk.graph.children.ravel()[edges[place]]
                marks += mark(name, trial.user, fill(words["edge"], {"source": names[source], "target": names[target]}))
        return marks

    @property
    def length(self) -> int:
        """The tokens of the list of edges."""
        return self.context

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return self.context + OTHER_TOKENS
