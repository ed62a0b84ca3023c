"""Scoring a list of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.graph_walks import Graph, Walk, compared, given_nodes
from longctx.protocols.reports.graph_walks_report import f1

NAMES = "abcdefgh"
CHILDREN = [[1, 2, 3], [2, 4, 5], [4, 5, 6], [0, 1, 6], [5, 6, 7], [0, 1, 2], [1, 2, 3], [0, 3, 4]]
GRAPH = Graph(np.array(CHILDREN), np.arange(24), np.array(list(NAMES), dtype=object))
"""a -> b, a -> c, a -> d, b -> c and so on, in this order."""
DEPTH_2 = Walk(GRAPH, 0, 2)
"""e, f and g."""
PARENTS = Walk(GRAPH, 0, None)
"""The parents of a, which are d, f and h."""


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("Final Answer: [a, b]", ["a", "b"]),
        ("Final Answer:[a,b]", ["a", "b"]),
        ("Final Answer: []", []),
        ("Final Answer: [ ]", []),
        ("Final Answer: [a, b, a,]", ["a", "b"]),
        ("I walk.\n\n**Final Answer:** [`a`, 'b', \"c\"]", ["a", "b", "c"]),
        ("**Final Answer: [a]**", ["a"]),
        ("final answer [a,\n  b\n]\nThat is all.", ["a", "b"]),
        ("Final Answer: [[a, b]]", ["a", "b"]),
        ("At first: Final Answer: [a]. But no.\nFinal Answer: [b]", ["b"]),
        ("Final Answer: [a]\nFinal Answer: [b, c", ["a"]),
        ("Final Answer: [a, b", None),
        ("Final Answer: a, b", None),
        ("[a, b]", None),
        ("", None),
    ],
)
def test_the_last_complete_list_counts(text: str, nodes: list[str] | None) -> None:
    assert given_nodes(text) == nodes


@pytest.mark.parametrize(
    ("walk", "given", "right", "why", "trace"),
    [
        (DEPTH_2, "gfe", True, "3 of 3 nodes are given", {"given": 3, "right": 3}),
        (DEPTH_2, "", False, "0 of 3 nodes are given", {"given": 0, "right": 0}),
        (DEPTH_2, "fg", False, "2 of 3 nodes are given", {"given": 2, "right": 2}),
        (
            DEPTH_2,
            "efgab",
            False,
            "3 of 3 nodes are given, 2 invented (2 nearer to the given node, or that node itself)",
            {"given": 5, "right": 3, "nearer": 2},
        ),
        (
            DEPTH_2,
            "ehx",
            False,
            "1 of 3 nodes are given, 2 invented (1 elsewhere in the graph, 1 in no edge at all)",
            {"given": 3, "right": 1, "elsewhere": 1, "unknown": 1},
        ),
        (
            PARENTS,
            "bca",
            False,
            "0 of 3 nodes are given, 3 invented (1 nearer to the given node, or that node itself, "
            "2 found by walking edges backwards)",
            {"given": 3, "right": 0, "nearer": 1, "backwards": 2},
        ),
    ],
)
def test_missing_and_invented_nodes_are_distinguished(
    walk: Walk, given: str, right: bool, why: str, trace: dict[str, int]
) -> None:
    exact, given_back, numbers = compared(walk, list(given))
    assert (exact, given_back) == (right, why)
    assert {name: count for name, count in numbers.items() if "_" not in name} == {"asked": 3} | trace


def test_nodes_are_reported_by_the_third_of_the_list_in_which_their_first_edge_is() -> None:
    trace = compared(DEPTH_2, ["e", "g"])[2]
    assert {name: count for name, count in trace.items() if "_" in name} == {
        "asked_beginning": 2,  # b -> e and b -> f are edges 4 and 5 of 24
        "right_beginning": 1,
        "asked_middle": 1,  # c -> g is edge 8
        "right_middle": 1,
    }
    last = compared(PARENTS, ["h"])[2]
    assert {name: count for name, count in last.items() if "_" in name} == {
        "asked_middle": 2,  # d -> a and f -> a are edges 9 and 15
        "right_middle": 0,
        "asked_end": 1,
        "right_end": 1,
    }


@given(st.sets(st.sampled_from("abcdefghxyz")))
def test_the_numbers_add_up(given: set[str]) -> None:
    for walk in (DEPTH_2, PARENTS, Walk(GRAPH, 4, 1)):
        right, _, trace = compared(walk, sorted(given))
        names = {NAMES[node] for node in walk.answer()}
        assert right == (given == names)
        assert trace["right"] == len(given & names)
        origins = sum(trace.get(origin, 0) for origin in ("nearer", "backwards", "elsewhere", "unknown"))
        assert trace["given"] - trace["right"] == origins
        for what in ("asked", "right"):
            assert trace[what] == sum(trace.get(f"{what}_{third}", 0) for third in ("beginning", "middle", "end"))


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(asked: set[int], given: set[int]) -> None:
    right = len(asked & given)
    score = f1(len(asked), len(given), right)
    if right:
        precision, recall = right / len(given), right / len(asked)
        assert score == pytest.approx(2 * precision * recall / (precision + recall))
    else:
        assert score == float(not asked and not given)
