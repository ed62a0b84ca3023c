"""Accuracy by length and depth, before and after."""

from __future__ import annotations

from dataclasses import replace

from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.report.heat_maps import MOST_LENGTHS, heat_maps
from longctx.results.row import Row
from tests.gate.examples import RULES
from tests.report.by_depth import at
from tests.rows import digested, joined


def judged(before: list[Row], after: list[Row]) -> RunVerdict:
    return give_verdict(before, after, RULES)


def test_length_is_across_and_depth_down_before_and_after() -> None:
    before, after = joined(at(3), at(10)), joined(at(3), at(10, wrong_at=0.5))
    first, second = heat_maps(judged(before, after))
    assert first.title == "Accuracy before, by lines and depth: line retrieval"
    assert second.title == "Accuracy after, by lines and depth: line retrieval"
    assert first.table.columns == second.table.columns == ("depth", "3", "10")
    assert {cell for _, *cells in first.table.rows for cell in cells} == {"1.00"}
    assert second.table.rows == (
        ("first third", "1.00", "1.00"),
        ("middle third", "1.00", "0.00"),
        ("last third", "1.00", "1.00"),
    )
    assert second.plot.marks[3].say.startswith("middle third, 10 lines, after: 0.00 [0.00, 0.28] n=10")


def test_tests_without_depths_and_of_many_lengths_have_none_and_those_that_lost_most_come_first() -> None:
    flat = at(3, depths=(0.5,))
    assert heat_maps(judged(flat, [replace(each, outcome="wrong") for each in flat])) == ()
    many = joined(*(at(lines) for lines in range(MOST_LENGTHS + 1)))
    assert heat_maps(judged(many, [replace(each, outcome="wrong") for each in many])) == ()
    names = "test_a", "test_b", "test_c"
    before = joined(*(at(3, test=name) for name in names))
    after = joined(at(3, test="test_a"), at(3, 0.1, test="test_b"), at(3, 0.9, test="test_c")[:30])
    titles = [chart.title.rpartition(": ")[2] for chart in heat_maps(judged(before, after))]
    assert titles == ["test_b", "test_b", "test_c", "test_c"]


def test_a_replay_of_the_baseline_has_none() -> None:
    own = digested(at(3), "a")
    assert heat_maps(judged(own, own)) == ()
