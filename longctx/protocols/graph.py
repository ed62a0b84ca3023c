"""A random directed graph and the walks on it. The tests compare the walks with networkx."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
