"""Graph walks: what a seed builds, how the list fills its window, and how a reply is judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from longctx.config.prompts import PromptSet
from longctx.corpus.documents import reference_tokens
from longctx.protocols.graph_walks import GraphWalksAxes, Walk, drawn, judge_answer, node_count
from longctx.vocabulary.point import BuiltTrial
from tests.given import reply, words_of
from tests.here import HERE
from tests.protocols import GraphWalks
from tests.protocols.tokens import TOKENS_OF, fixtures, measured

WORDS = words_of(GraphWalks)
TOKENS = TOKENS_OF[GraphWalks]


def build(slug: str, seed: int = 0, index: int = 0) -> BuiltTrial:
    return GraphWalks.from_slug(slug, tokens=TOKENS).build(WORDS, seed, index)


def edges(trial: BuiltTrial) -> str:
    return trial.user.split("edges:\n")[2].split("\n\n\n")[0]


def walk_of(cell: Any, seed: int = 0, index: int = 0) -> Walk:
    draw, trial = fixtures(cell, seed, index)
    return drawn(draw, cell, trial)


@st.composite
def cells(draw: st.DrawFn) -> Any:
    depth = draw(st.none() | st.integers(1, 3))
    context = draw(st.integers(3000, 20_000))
    return GraphWalks(context, "bfs" if depth else "parents", depth, tokens=TOKENS)


def test_the_prompt_is_that_of_the_source_with_one_sentence_more() -> None:
    trial = build("context-1000-operation-bfs-depth-1")
    first, listed = trial.user.split("Here is the graph to operate on:\nThe graph has the following edges:\n")
    listed_edges, asked = listed.split("\n\n\nOperation:\n")
    assert first == (
        "You will be given a graph as a list of directed edges. All nodes are at least degree 1. You will also get a "
        "description of an operation to perform on the graph.\n"
        "Your job is to execute the operation on the graph and return the set of nodes that the operation results in. "
        "If asked for a breadth-first search (BFS), only return the nodes that are both reachable and exactly at that "
        "depth (not nodes at intermediate depths), and do not return the starting node. "
        "The depth of a node is the number of edges on the shortest path from the starting node to it. "  # ours
        "If asked for the parents of a node, only return the nodes that have an edge leading to the given node, do "
        "not return the given node itself.\n\n"
        "Here is an example:\n<begin example>\n\n"
        "The graph has the following edges:\nuvwx -> alke\nabcd -> uvwx\nabcd -> efgh\nefgh -> uvwx\n\n"
        "Example 1:\nOperation:\nPerform a BFS from node abcd and return only the nodes at exactly depth 1 (not nodes "
        "at intermediate depths).\nFinal Answer: [uvwx, efgh]\n\n"
        "Example 2:\nOperation:\nPerform a BFS from node alke and return only the nodes at exactly depth 1 (not nodes "
        "at intermediate depths).\nFinal Answer: []\n\n"
        "Example 3:\nOperation:\nFind the parents of node uvwx.\nFinal Answer: [abcd, efgh]\n\n"
        "Example 4:\nOperation:\nFind the parents of node abcd.\nFinal Answer: []\n\n"
        "<end example>\n"
    )
    walk = walk_of(GraphWalks(1000, "bfs", 1, tokens=TOKENS))
    assert listed_edges == walk.graph.text("{source} -> {target}")
    assert asked == (
        f"Perform a BFS from node {walk.graph.names[walk.node]} and return only the nodes at exactly depth 1 (not "
        "nodes at intermediate depths).\n\n"
        "You should reason through the operation step by step, and then return the set of nodes that the operation "
        "results in. Return your final answer as a list of nodes in the very last line of your response. For example, "
        "if the operation returns the set of nodes [node1, node2, node3], your response should be:\n"
        "Final Answer: [node1, node2, node3]\n"
        "If the operation returns the empty set, your response should be:\nFinal Answer: []"
    )
    assert trial.system == ""
    assert "Find the parents of node " in build("context-1000-operation-parents").user.split("Operation:\n")[-1]


def test_the_prompt_set_immediate_asks_for_the_answer_alone() -> None:
    words = PromptSet.open(HERE, "immediate").wording(GraphWalks).templates
    ours, theirs = words["prompt"].splitlines(), WORDS["prompt"].splitlines()
    [(ours_alone, instead)] = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    assert ours_alone.startswith(
        "You should immediately return the set of nodes that the operation results in, with no "
    )
    assert ours_alone.split(". ", 1)[1] == instead.split(". ", 1)[1]
    assert {name: text for name, text in words.items() if name != "prompt"} == {
        name: text for name, text in WORDS.items() if name != "prompt"
    }


# A changed digest makes every recording stale.
@pytest.mark.parametrize(("prompts", "digest"), [("protocol", "7d68c44b56e0"), ("immediate", "b4ef51a1b21e")])
def test_the_words_are_those_that_were_recorded(prompts: str, digest: str) -> None:
    assert PromptSet.open(HERE, prompts).wording(GraphWalks).digest == digest


@given(cells(), st.integers(0, 2**70), st.integers(0, 10_000))
def test_a_prompt_follows_from_cell_seed_and_index_alone(cell: Any, seed: int, index: int) -> None:
    trial, again = cell.build(WORDS, seed, index), cell.build(WORDS, seed, index, repeat=1)
    assert (trial.user, trial.expected) == (again.user, again.expected)
    assert cell.build(WORDS, seed, index + 1).user != trial.user
    assert cell.build(WORDS, seed + 1, index).user != trial.user
    assert trial.expected
    assert (trial.depth, trial.distance_from_end, trial.recorded) == (0.0, None, {"nodes": node_count(cell)})


def test_a_trial_has_an_identity_that_tells_its_walk() -> None:
    trial = replace(GraphWalks(3000, "bfs", 2), tokens=TOKENS).build(WORDS, 7, 3, repeat=1)
    assert str(trial.identity) == "graph_walks.v1/context-3000-operation-bfs-depth-2/seed-7/trial-3/repeat-1"


@given(st.integers(3000, 20_000), st.integers(0, 1000), st.integers(0, 100))
def test_all_walks_of_a_context_ask_about_one_graph(context: int, seed: int, index: int) -> None:
    walks = [GraphWalks(context, "parents"), *(GraphWalks(context, "bfs", depth) for depth in (1, 2, 3))]
    fitted = [replace(walk, tokens=TOKENS) for walk in walks]
    trials = [cell.build(WORDS, seed, index) for cell in fitted]
    assert len({trial.user.rsplit("Operation:\n")[0] for trial in trials}) == 1
    assert len({trial.prefix for trial in trials}) == 1
    assert len({trial.user for trial in trials}) == 4
    assert fitted[0].build(WORDS, seed, index + 1).prefix > trials[0].prefix


def test_room_for_the_reply_and_other_words_do_not_change_the_question() -> None:
    cell = GraphWalks(3000, "bfs", 2, tokens=TOKENS)
    roomy = replace(cell, max_tokens=9000).build(WORDS, 0, 0)
    brief = cell.build(PromptSet.open(HERE, "immediate").wording(GraphWalks).templates, 0, 0)
    first = cell.build(WORDS, 0, 0)
    assert (roomy.user, roomy.identity, roomy.max_tokens) == (first.user, first.identity, 9000)
    assert brief.expected == first.expected
    assert edges(brief) == edges(first)


MEASURED = measured(GraphWalks, reference_tokens)
"""What the probes take in the reference vocabulary."""


@settings(max_examples=30)
@given(st.integers(2000, 20_000), st.integers(0, 1000))
def test_edges_take_the_tokens_that_were_asked_for(context: int, index: int) -> None:
    cell = GraphWalks(context, "bfs", 1).fit(MEASURED)
    trial = cell.build(WORDS, 0, index)
    user = trial.user
    taken = reference_tokens(user) - reference_tokens(user.replace(edges(trial), ""))
    assert taken == pytest.approx(context, rel=0.1, abs=50)
    assert reference_tokens(user) == pytest.approx(cell.size_tokens({}), rel=0.1, abs=100)


@given(st.integers(1, 60), st.integers(0, 400))
def test_token_values_leave_out_what_a_chat_template_adds(edge: int, template: int) -> None:
    assert GraphWalks.declared.counts.values(
        {"40 edges": template + 40 * edge, "400 edges": template + 400 * edge}
    ) == {"edge": edge}


def test_no_name_is_in_two_edges_of_a_probe() -> None:
    probes = GraphWalks.declared.counts.probes(WORDS)
    assert [len(text.splitlines()) for text in probes.values()] == [40, 400]
    ends = [end for line in probes["400 edges"].splitlines() for end in line.split(" -> ")]
    assert len(set(ends)) == 800


def test_counts_that_cannot_be_right_are_refused() -> None:
    with pytest.raises(ValueError, match="edge would take 0 tokens"):
        GraphWalks.declared.counts.values(dict.fromkeys(GraphWalks.declared.counts.probes(WORDS), 500))
    with pytest.raises(ValueError, match="without a usable count of 'edge': delete the table"):
        GraphWalks(9000, "parents").fit({"edges": 15})


def test_a_context_too_small_for_the_walk_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^800 tokens of edges are too few .* of 18 nodes: use at least 810\.$"):
        GraphWalks(800, "bfs", 2).fit({"edge": 15})
    assert node_count(GraphWalks(810, "bfs", 2).fit({"edge": 15})) == 18
    with pytest.raises(ValueError, match="tokens of this wording are not known"):
        GraphWalks(9000, "parents").build(WORDS, 0, 0)


@pytest.mark.parametrize(
    ("operation", "depth", "message"),
    [
        ("dfs", 1, "no operation 'dfs': choose from parents, bfs"),
        ("bfs", None, "has a depth of at least 1"),
        ("bfs", 0, "has a depth of at least 1"),
        ("parents", 1, "parents have none"),
    ],
)
def test_walks_that_there_are_not(operation: str, depth: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GraphWalks(9000, operation, depth)


@pytest.mark.parametrize("slug", ["context-9000-operation-parents", "context-9000-operation-bfs-depth-12"])
def test_a_slug_means_its_cell(slug: str) -> None:
    assert GraphWalks.from_slug(slug).slug == slug


def test_its_length_is_that_of_the_edges() -> None:
    cell = GraphWalks(9000, "parents", max_tokens=1000)
    assert (cell.length, cell.size_tokens({})) == (9000, 9500)


def test_a_grid_has_every_walk_in_every_context_and_bands_by_context() -> None:
    grid = GraphWalksAxes(contexts=(4000, 9000), walks=("parents", 2), trials=5, bands={"short": 4000, "long": 9000})
    assert {(cell.slug, grid.band(cell)) for cell in grid.made_cells(lambda: pytest.fail("no documents"))} == {
        ("context-4000-operation-parents", "short"),
        ("context-4000-operation-bfs-depth-2", "short"),
        ("context-9000-operation-parents", "long"),
        ("context-9000-operation-bfs-depth-2", "long"),
    }


@pytest.mark.parametrize("walk", ["children", 0, -1, True, 1.0])
def test_a_walk_that_there_is_not_is_a_clear_sentence(walk: object) -> None:
    with pytest.raises(ValidationError, match='a walk is "parents", or a number: the depth of a breadth-first search'):
        GraphWalksAxes.model_validate({"contexts": [9000], "walks": [walk], "trials": 1})


CELL = GraphWalks(3000, "bfs", 2, tokens=TOKENS)
WALK = walk_of(CELL)
RIGHT = ", ".join(WALK.graph.names[WALK.answer()])


@pytest.mark.parametrize(
    ("text", "stop_reason", "kind", "why"),
    [
        ("Final Answer: [RIGHT]", "end_turn", "correct", "nodes are given"),
        ("I walk.\nFinal Answer: [RIGHT]\nIs that", "max_tokens", "correct", "nodes are given"),
        ("Final Answer: [ONE]", "end_turn", "wrong", "1 of "),
        ("Final Answer: [RIGHT, x]", "end_turn", "wrong", "1 invented (1 in no edge at all)"),
        ("Final Answer: []", "end_turn", "wrong", "0 of "),
        ("Final Answer: [ONE]. But", "max_tokens", "truncated", "1 of "),
        ("Final Answer: [RIGHT", "max_tokens", "truncated", "cut off after 16 tokens, before an answer"),
        ("RIGHT", "end_turn", "unparseable", "no 'Final Answer: [...]' in the reply"),
        ("", "end_turn", "unparseable", "an empty reply"),
        ("Final Answer: [RIGHT]", "refusal", "refusal", "the model refused"),
    ],
)
def test_what_a_reply_is_worth(text: str, stop_reason: str, kind: str, why: str) -> None:
    text = text.replace("RIGHT", RIGHT).replace("ONE", RIGHT.split(", ")[0])
    outcome = judge_answer(reply(text, stop_reason), WALK)
    assert outcome.kind == kind
    assert why in outcome.why


def test_a_reader_is_shown_the_operation_and_the_edges_that_were_found_and_missed() -> None:
    trial = CELL.build(WORDS, 0, 0)
    first, *rest = trial.expected.split(", ")
    outcome = trial.judge(reply(f"Final Answer: [{first}]"))
    marks = [(mark.name, trial.user[mark.start : mark.end]) for mark in outcome.marks]
    assert marks[0] == (
        "operation",
        f"Perform a BFS from node {WALK.graph.names[WALK.node]} and return only the nodes at exactly depth 2 (not "
        "nodes at intermediate depths).",
    )
    assert {line.split(" -> ")[1] for name, line in marks if name == "edge that was found"} == {first}
    missed = [line.split(" -> ")[1] for name, line in marks if name == "edge that was missed"]
    assert set(missed) <= set(rest)
    assert 1 <= len(missed) <= 6


def test_of_many_edges_a_reader_is_shown_some() -> None:
    cell = GraphWalks(8000, "bfs", 3, tokens=TOKENS)
    trial = cell.build(WORDS, 0, 0)
    marks = trial.judge(reply("", "refusal")).marks
    assert len(trial.expected.split(", ")) > 6
    assert [mark.name for mark in marks] == ["operation", *["edge that was missed"] * 6]


def test_operations_on_one_graph_are_one_cluster() -> None:
    parents, search = (GraphWalks.from_slug(f"context-3000-operation-{walk}") for walk in ("parents", "bfs-depth-2"))
    first, second = (build(one.slug, index=3).user.rsplit("Operation:\n")[0] for one in (parents, search))
    assert first == second
    assert parents.cluster(3) == search.cluster(3) != search.cluster(4)
