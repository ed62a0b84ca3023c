"""What two runs show of each item, as columns."""

from __future__ import annotations

from dataclasses import replace

from longctx.compare.pairs import pairs
from longctx.vocabulary.point import CREDIT
from tests.rows import joined, run


def test_each_item_has_an_entry_in_every_column() -> None:
    columns = pairs(
        joined(run("correct", "not_asked", "wrong")), joined(run("wrong", "correct", "infra_error"))
    ).columns
    assert columns.credits == [((1,), (0,)), None, None]
    assert [len(rows) for rows in columns.before] == [1, 0, 1]
    assert [len(rows) for rows in columns.after] == [1, 1, 1]
    assert [len(rows) for rows in columns.measured] == [1, 1, 0]
    assert len({*map(str, columns.clusters)}) == 3


def test_an_item_is_judged_if_the_baseline_measured_it_and_it_has_a_band() -> None:
    before = joined(run("correct", "not_asked", "wrong"))
    after = [replace(row, band="short") for row in joined(run("wrong", "correct", "infra_error"))]
    columns = pairs(before, after).columns
    assert columns.by_band() == {"short": [0, 2]}
    assert columns.at([2, 0]).credits == [None, ((1,), (0,))]
    assert pairs(before, [replace(row, band=None) for row in after]).columns.by_band() == {}


def test_repeats_and_partial_credit_are_answers_of_one_item() -> None:
    [row] = joined(run("wrong", test="function.check"))
    half = replace(row, trace={CREDIT: 500})
    columns = pairs([row], [half, replace(row, repeat=1, outcome="correct")]).columns
    assert columns.credits == [((0,), (0.5, 1))]
