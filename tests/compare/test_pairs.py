"""Trials that two runs have in common."""

from __future__ import annotations

from dataclasses import replace

from longctx.compare.pairs import Treatments, by_cell, pairs
from longctx.registry import shipped
from longctx.results.grouping import by_test
from longctx.results.row import Row
from longctx.stats.paired import Paired
from tests.rows import joined, lines, run


def test_the_same_question_is_paired_and_keeps_both_outcomes() -> None:
    paired = pairs(joined(run("correct", "wrong", "correct")), joined(run("wrong", "not_asked")))
    assert [(before.outcome, after.outcome) for before, after in paired.common.values()] == [
        ("correct", "wrong"),
        ("wrong", "not_asked"),
    ]
    assert (len(paired.before), len(paired.after), paired.mismatched) == (3, 2, 0)
    [first, second] = paired.common.values()
    assert [first[0].correct, second[1].measured] == [True, False]


def test_another_version_of_the_test_asks_something_else() -> None:
    paired = pairs(joined(run("correct", "wrong")), joined(run("correct", "wrong", version=2)))
    assert (paired.common, paired.mismatched) == ({}, 2)


def test_what_was_kept_without_text_is_paired_by_its_key() -> None:
    kept, other = joined(run("correct", expected=None)), joined(run("correct", expected="9"))
    assert len(pairs(kept, other).common) == 1
    assert pairs(joined(run("correct", expected="7")), other).mismatched == 1


def test_rows_are_grouped_by_test_and_subject() -> None:
    rows = joined(run("correct"), run("correct", "wrong", model="other"), run("wrong", test="passkey"))
    by_name = by_test(rows)
    assert {test: [len(group) for group in groups.values()] for test, groups in by_name.items()} == {
        "line_retrieval": [1, 2],
        "passkey": [1],
    }


def collage(budget: int, *outcomes: str, sections: int = 4) -> list[Row]:
    params = {"budget": budget, "longest": 600, "depth": 0, "variant": "none", "sections": sections}
    cell = f"budget-{budget}-longest-600-depth-0-variant-none"
    rows = run(*outcomes, test="collage", cell=cell, params=params)
    return [replace(row, item=f"q{row.trial}@0123456789ab", params={**params, "sections": row.trial}) for row in rows]


def treatments(test: str) -> Treatments:
    return Treatments.of(shipped().get(test))


def test_the_same_question_in_a_shorter_collage_is_paired() -> None:
    paired = pairs(collage(2600, "correct", "wrong"), collage(1300, "wrong", "wrong"), treatments("collage"))
    assert [(before.outcome, after.outcome) for before, after in paired.common.values()] == [
        ("correct", "wrong"),
        ("wrong", "wrong"),
    ]
    [across] = paired.across
    assert (str(across), across.paired, paired.alone) == ("budget 2,600 → 1,300", True, (0, 0))


def test_lines_of_another_length_do_not_correspond() -> None:
    before = joined(lines(5, 1, 1), lines(5, 1, 1, block_size=1))
    after = joined(lines(3, 0, 2), lines(3, 1, 1, block_size=1))
    paired = pairs(before, after, treatments("line_retrieval"))
    assert (paired.common, paired.mismatched, paired.alone) == ({}, 0, (0, 0))
    assert [(across.before, across.after, str(across)) for across in paired.unpaired] == [
        ("lines-5", "lines-3", "lines 5 → 3"),
        ("lines-5-block_size-1", "lines-3-block_size-1", "lines 5 → 3"),
    ]


def test_what_both_runs_have_is_paired_with_itself_and_the_rest_with_the_nearest() -> None:
    before = joined(lines(5, 1, 1), lines(10, 1, 1), lines(100, 1, 1))
    after = joined(lines(5, 1, 1), lines(20, 0, 1))
    paired = pairs(before, after, treatments("line_retrieval"))
    assert len(paired.common) == 1
    assert [str(across) for across in paired.across] == ["lines 10 → 20"]
    assert paired.alone == (1, 0)


def test_cells_that_differ_in_several_parameters_are_not_compared() -> None:
    paired = pairs(lines(5, 1, 1), lines(3, 1, 1, block_size=1), treatments("line_retrieval"))
    assert (paired.across, paired.alone) == ((), (1, 1))


def test_what_a_test_function_draws_is_the_same_at_every_length() -> None:
    def tokens(number: int) -> list[Row]:
        return run("correct", test="test_refund_code", cell=f"tokens-{number}", params={"tokens": number})

    paired = pairs(tokens(2000), tokens(1000), treatments("test_refund_code"))
    assert len(paired.common) == 1
    assert pairs(tokens(2000), tokens(1000)).common == {}


def test_a_test_that_declares_nothing_draws_the_same_items_whatever_its_parameters() -> None:
    before, after = (run("correct", test="other", cell=f"size-{size}", params={"size": size}) for size in (1, 2))
    [across] = pairs(before, after, treatments("other")).across
    assert (str(across), across.paired) == ("size 1 → 2", True)


def test_cells_have_what_both_runs_measured() -> None:
    before = joined(run("correct", "wrong", "correct"), run("correct", cell="lines-9"))
    after = joined(run("wrong", "correct", "not_asked"), run("correct", cell="lines-9"))
    assert by_cell(pairs(before, after)) == {"lines-5": Paired(1, 1, 2), "lines-9": Paired(0, 0, 1)}
