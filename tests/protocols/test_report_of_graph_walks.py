"""The analysis of graph walks, and its tables, charts and findings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from longctx.protocols.reports.graph_walks_report import mean_f1, nodes, walk_of
from longctx.registry import shipped
from longctx.results.row import Row, Subject
from longctx.stats.rates import Rate
from longctx.views.answers import Answers, CellSummary
from longctx.views.declared import reporting_of
from longctx.vocabulary.report import Rank
from tests.rows import traced

SUBJECT = Subject("some-model", "protocol")
PARAMS: dict[str, dict[str, Any]] = {
    "context-4000-operation-parents": {"context": 4000, "operation": "parents", "depth": None},
    "context-4000-operation-bfs-depth-2": {"context": 4000, "operation": "bfs", "depth": 2},
    "context-9000-operation-bfs-depth-2": {"context": 9000, "operation": "bfs", "depth": 2},
}
PARENTS, NEAR, FAR = PARAMS
EXACT = {"asked": 4, "given": 4, "right": 4, "asked_beginning": 3, "right_beginning": 3, "asked_end": 1, "right_end": 1}
PARTLY = {"asked": 4, "given": 6, "right": 2, "asked_beginning": 2, "right_beginning": 2, "asked_middle": 2}
PARTLY |= {"right_middle": 0, "nearer": 3, "unknown": 1}
REFUSED: dict[str, int] = {}


def rows(cell: str, *traces: dict[str, int]) -> list[Row]:
    place = {"test": "graph_walks", "cell": cell, "params": PARAMS[cell]}
    return traced(*(("correct", trace) for trace in traces), **place)


ACCOUNT = reporting_of(shipped()["graph_walks"])


def analysed(*told: Row) -> list[Answers]:
    analysis: list[Answers] = ACCOUNT.analyse([], told)
    return analysis


def summaries(**correct: int) -> list[CellSummary]:
    return [
        CellSummary("graph_walks", SUBJECT, name, PARAMS[name], Rate(right, 10), {}, 0.0, None)
        for name, right in correct.items()
    ]


def findings(cells: Sequence[CellSummary], *told: Row) -> list[tuple[Rank, str]]:
    return list(ACCOUNT.findings(cells, analysed(*told) if told else ()))


def test_f1_is_the_mean_of_all_answers_and_nodes_are_those_of_lists() -> None:
    [answers] = analysed(*rows(NEAR, EXACT, PARTLY, REFUSED, REFUSED))
    assert mean_f1(answers) == pytest.approx((1 + 2 * 2 / (4 + 6)) / 4)
    assert (answers.n, walk_of(answers.params), answers.params["context"]) == (4, "depth 2", 4000)
    assert [nodes(answers, third) for third in ("beginning", "middle", "end")] == [(5, 5), (0, 2), (1, 1)]
    [entry] = ACCOUNT.data([answers])["graph_walks"]
    assert (entry["n"], entry["listed"], entry["asked"], entry["right"]) == (4, 2, 8, 6)


def test_tables_tell_exact_sets_f1_and_where_edges_are_missed() -> None:
    analysis = analysed(*rows(NEAR, EXACT, PARTLY), *rows(PARENTS, EXACT))
    scores, thirds = ACCOUNT.tables(summaries(**{PARENTS: 5, NEAR: 1, FAR: 0}), analysis) or ()
    assert scores.frame.reset_index().to_numpy().tolist() == [
        ["parents", "4,000", "0.50 [0.24, 0.76] n=10", "1.00", "4 of 4", "0"],
        ["depth 2", "4,000", "0.10 [0.02, 0.40] n=10", "0.70", "6 of 8", "4"],
        ["depth 2", "9,000", "0.00 [0.00, 0.28] n=10", "-", "-", "-"],
    ]
    assert thirds.frame.reset_index().to_numpy().tolist() == [
        ["some-model", "protocol", "4,000", "depth 2", "1.00 (5 of 5)", "0.00 (0 of 2)", "1.00 (1 of 1)"],
        ["some-model", "protocol", "4,000", "parents", "1.00 (3 of 3)", "-", "1.00 (1 of 1)"],
    ]
    [invented] = ACCOUNT.further_tables(analysis)
    assert invented.frame.reset_index().to_numpy().tolist() == [
        ["some-model", "protocol", "4,000", "depth 2", "3", "1", "2"],
        ["some-model", "protocol", "4,000", "parents", "0", "0", "1"],
    ]


def test_without_a_list_there_is_nothing_to_tell_of_nodes() -> None:
    analysis = analysed(*rows(NEAR, REFUSED))
    account, cells = ACCOUNT, summaries(**{NEAR: 0})
    [table] = account.tables(cells, analysis) or ()
    assert table.title == "Graph walks, some-model, prompts protocol"
    assert list(account.further_tables(analysis)) == []
    assert [chart.name for chart in account.charts(cells, analysis) or ()] == ["graph-walks-by-context-1"]


def test_charts_draw_exact_sets_by_context_and_nodes_by_third() -> None:
    analysis = analysed(*rows(NEAR, EXACT, PARTLY), *rows(FAR, PARTLY), *rows(PARENTS, EXACT))
    exact, nodes = ACCOUNT.charts(summaries(**{PARENTS: 5, NEAR: 1, FAR: 0}), analysis) or ()
    assert exact.table.frame.reset_index().to_numpy().tolist() == [
        [4000, "0.50 [0.24, 0.76] n=10", "0.10 [0.02, 0.40] n=10"],
        [9000, "", "0.00 [0.00, 0.28] n=10"],
    ]
    assert nodes.table.frame.reset_index().to_numpy().tolist() == [
        ["beginning", "1.00 (7 of 7)", "1.00 (3 of 3)"],
        ["middle", "0.00 (0 of 4)", "-"],
        ["end", "1.00 (1 of 1)", "1.00 (1 of 1)"],
    ]
    assert len(nodes.plot.marks) == 5


def test_a_rate_that_falls_with_the_context_stands_out() -> None:
    assert findings(summaries(**{PARENTS: 9, NEAR: 9, FAR: 1})) == [
        (
            Rank.LEVEL,
            "Graph walks, some-model, prompts protocol, depth 2: accuracy falls from 0.90 at 4,000 tokens to 0.10 at "
            "9,000 tokens.",
        )
    ]
    assert findings(summaries(**{NEAR: 5, FAR: 4})) == []


def test_the_third_where_edges_are_missed_stands_out() -> None:
    trace = {"asked": 60, "given": 40, "right": 40, "asked_beginning": 20, "asked_middle": 20, "asked_end": 20}
    trace |= {"right_beginning": 18, "right_middle": 6, "right_end": 16}
    assert findings([], *rows(NEAR, trace)) == [
        (
            Rank.CAUSE,
            "Graph walks, some-model, prompts protocol: edges are found most often "
            "at the beginning of their list, 18 of "
            "20, and least often at its middle, 6 of 20.",
        )
    ]
    few = {name: count // 2 for name, count in trace.items()}
    assert findings([], *rows(NEAR, few)) == []
    even = trace | {"right_middle": 16}
    assert findings([], *rows(NEAR, even)) == []


def test_what_most_invented_nodes_are_stands_out() -> None:
    assert findings([], *rows(NEAR, PARTLY)) == [], "too few to tell"
    assert findings([], *rows(NEAR, PARTLY, PARTLY)) == [
        (
            Rank.CAUSE,
            "Graph walks, some-model, prompts protocol: of 8 invented nodes, 6 are "
            "nearer to the given node, or that node "
            "itself.",
        )
    ]
    assert (
        findings([], *rows(NEAR, {"asked": 1, "given": 6, "right": 0, "nearer": 2, "backwards": 2, "unknown": 2})) == []
    )


def test_the_numbers_go_to_summary_json() -> None:
    data = ACCOUNT.data(analysed(*rows(NEAR, EXACT, PARTLY)))
    [entry] = json.loads(json.dumps(data))["graph_walks"]
    assert entry == {
        **SUBJECT.fields,
        "cell": NEAR,
        "n": 2,
        "f1": 0.7,
        "listed": 2,
        "asked": 8,
        "right": 6,
        "asked_in": {"beginning": 5, "middle": 2, "end": 1},
        "right_in": {"beginning": 5, "middle": 0, "end": 1},
        "invented": {"nearer": 3, "backwards": 0, "elsewhere": 0, "unknown": 1},
    }
