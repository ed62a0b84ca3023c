"""The graph and the walks on it, held against networkx."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.graph_walks import EDGES_A_NODE, Graph, Walk, draw_graph, names_of

SIZES = st.integers(EDGES_A_NODE + 2, 60)
SEEDS = st.integers(0, 2**32 - 1)
DEPTHS = st.none() | st.integers(1, 6)


def graph_of(seed: int, nodes: int) -> Graph:
    return draw_graph(np.random.RandomState(seed), nodes)


def read(text: str) -> nx.DiGraph:
    """Return the graph as a reader of the text sees it."""
    read = nx.DiGraph()
    read.add_edges_from(line.split(" -> ") for line in text.splitlines())
    return read


def numbers(graph: Graph, names: set[str]) -> set[int]:
    return set(np.flatnonzero([name in names for name in graph.names]).tolist())


@given(SEEDS, SIZES, DEPTHS, st.data())
def test_the_answer_is_that_of_networkx(seed: int, nodes: int, depth: int | None, data: st.DataObject) -> None:
    graph = graph_of(seed, nodes)
    node = data.draw(st.integers(0, nodes - 1))
    name, other = graph.names[node], read(graph.text("{source} -> {target}"))
    if depth is None:
        expected = set(other.predecessors(name))
    else:
        reached = nx.single_source_shortest_path_length(other, name, cutoff=depth)
        expected = {name for name, length in reached.items() if length == depth}
    assert set(Walk(graph, node, depth).answer().tolist()) == numbers(graph, expected)


@given(SEEDS, SIZES, DEPTHS, st.data())
def test_what_was_invented_is_told_as_networkx_has_it(
    seed: int, nodes: int, depth: int | None, data: st.DataObject
) -> None:
    graph = graph_of(seed, nodes)
    walk = Walk(graph, data.draw(st.integers(0, nodes - 1)), depth)
    name, other = graph.names[walk.node], read(graph.text("{source} -> {target}"))
    lengths = nx.single_source_shortest_path_length(other, name)
    reverse = nx.single_source_shortest_path_length(other.reverse(), name)
    answer = set(walk.answer().tolist())
    for node, origin in zip(range(nodes), walk.origins(range(nodes)), strict=True):
        node_name = graph.names[node]
        nearer = node == walk.node or (depth is not None and lengths.get(node_name, nodes) < depth)
        against = lengths.get(node_name) == 1 if depth is None else reverse.get(node_name) == depth
        if node not in answer:
            assert origin == ("nearer" if nearer else "backwards" if against else "elsewhere")


@given(SEEDS, SIZES)
def test_every_edge_occurs_once_and_none_leads_to_itself(seed: int, nodes: int) -> None:
    lines = graph_of(seed, nodes).text("{source} -> {target}").splitlines()
    assert len(lines) == len(set(lines)) == EDGES_A_NODE * nodes
    sources, targets = zip(*(line.split(" -> ") for line in lines), strict=True)
    assert all(source != target for source, target in zip(sources, targets, strict=True))
    assert {sources.count(source) for source in sources} == {EDGES_A_NODE}


@given(SEEDS, SIZES, DEPTHS, st.data())
def test_the_last_edges_lead_to_the_answer(seed: int, nodes: int, depth: int | None, data: st.DataObject) -> None:
    graph = graph_of(seed, nodes)
    walk = Walk(graph, data.draw(st.integers(0, nodes - 1)), depth)
    lines = graph.text("{source} -> {target}").splitlines()
    places, ends = walk.last_edges()
    assert list(places) == sorted(places)
    assert set(ends.tolist()) == set(walk.answer().tolist())
    before = {graph.names[walk.node]}
    if depth is not None:
        before = {graph.names[node] for node in graph.layers(walk.node, depth - 1)[-1]}
    for place, node in zip(places, ends, strict=True):
        source, target = lines[place].split(" -> ")
        assert (target if depth is None else source) in before
        assert (source if depth is None else target) == graph.names[node]


def test_edges_are_in_random_order() -> None:
    sources = [line[:10] for line in graph_of(0, 500).text("{source} -> {target}").splitlines()]
    neighbours = sum(first == second for first, second in itertools.pairwise(sources))
    assert neighbours < 15


def test_children_are_drawn_evenly() -> None:
    parents = np.bincount(graph_of(0, 3000).children.ravel(), minlength=3000)
    assert parents.var() == pytest.approx(EDGES_A_NODE, rel=0.1)  # as a Poisson distribution has it


def test_a_template_of_other_words_is_taken_to_the_letter() -> None:
    graph = graph_of(0, 6)
    text = graph.text("<{target}> from {source}, {{source}}: 5%s \\1")
    source, target = graph.text("{source} {target}").splitlines()[0].split()
    assert text.splitlines()[0] == f"<{target}> from {source}, {{{source}}}: 5%s \\1"
    assert not text.endswith("\n")


def test_names_differ_to_far_beyond_a_million_tokens() -> None:
    names = names_of(2**17)
    assert len(set(names)) == 2**17
    assert {len(name) for name in names} == {10}
    assert list(names_of(4096)) == list(names[:4096])
