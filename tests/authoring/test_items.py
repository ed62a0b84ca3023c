"""The analysis of questions by their answers with the right section, with a wrong one, and with none."""

from __future__ import annotations

import pytest

from longctx.authoring.items import ItemQuality, Quality, warnings
from longctx.protocols.reports.collage_analysis import Favourite
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from tests.authoring.examples import found


def test_the_bank_has_a_rate_for_each_record() -> None:
    overall = found().overall
    assert (overall.right, overall.wrong, overall.none) == (Rate(2, 4), Rate(2, 4), Rate(1, 4))
    assert (overall.questions, overall.paired) == (4, Paired(1, 1, 4))


def test_the_worst_question_comes_first_and_says_why() -> None:
    assert [(item.name, item.discrimination, item.fault) for item in found().items] == [
        ("q2", -1.0, "better with a wrong section"),
        ("q4", 0.0, "missed with its own section"),
        ("q3", 0.0, "as good with a wrong section"),
        ("q1", 1.0, ""),
    ]


def test_groups_hold_several_questions() -> None:
    quality = found()
    assert [(fact.name, fact.questions, fact.right) for fact in quality.facts] == [("price", 2, Rate(1, 2))]
    assert [(section.name, section.questions, section.wrong) for section in quality.sections] == [
        ("s1", 2, Rate(1, 2)),
        ("s2", 2, Rate(1, 2)),
    ]


def test_repeats_of_a_question_count_with_it() -> None:
    """Twenty answers to two questions tell less of a bank than those to twenty questions."""
    few = found({name: {"right": "+" * 10, "wrong": kind * 10} for name, kind in (("q1", "-"), ("q2", "+"))})
    many = found({f"q{place}": {"right": "+", "wrong": "-+"[place % 2]} for place in range(20)})
    (wide, _), (narrow, _) = (quality.overall.paired.interval() for quality in (few, many))
    assert few.overall.paired.difference == many.overall.paired.difference == 0.5
    assert wide < 0 < narrow


def test_repeats_are_paired_and_what_was_not_measured_is_left_out() -> None:
    [item] = found({"q1": {"right": "++?-", "wrong": "-u+?"}}).items
    assert (item.right, item.wrong, item.none) == (Rate(2, 3), Rate(1, 2), Rate(0, 0))
    assert item.paired == Paired(1, 0, 1)
    assert item.discrimination == pytest.approx(1 / 6)
    assert item.fault == ""


def test_what_was_not_answered_readably_is_no_evidence_on_a_question() -> None:
    quality = found({"q1": {"right": "u", "wrong": "-"}, "q2": {"right": "+", "wrong": "-"}})
    assert [(item.name, item.fault) for item in quality.items] == [("q2", ""), ("q1", "no readable answer")]
    assert quality.overall.right == Rate(1, 1)
    assert quality.overall.rate_of_replies("right") == Rate(1, 2), "though it is not correct"
    assert quality.overall.paired == Paired(1, 0, 1)


def test_questions_are_not_blamed_for_replies_that_cannot_be_read() -> None:
    whole = ItemQuality("all", "", "", 18, Rate(0, 1), Rate(0, 1), Rate(0, 1), Paired(0, 0, 1), {"right": 17})
    assert list(warnings(Quality("m", "p", whole, (), (), ()), None)) == []


def test_a_model_that_gives_one_letter_is_not_the_questions_fault() -> None:
    whole = ItemQuality("all", "", "", 30, Rate(8, 30), Rate(7, 30), Rate(8, 30), Paired(3, 2, 30))
    [warning] = warnings(Quality("m", "p", whole, (), (), (), Favourite("D", Rate(88, 90))), None)
    assert warning.endswith("n=30. It answers D to almost every question (88 of 90 replies).")


def test_a_question_without_both_conditions_is_not_measured_and_comes_last() -> None:
    items = found({"q1": {"right": "?"}, "q2": {"right": "+", "wrong": "-"}}).items
    assert [(item.name, item.fault) for item in items] == [("q2", ""), ("q1", "not measured")]


def worth(right: Rate, wrong: Rate, none: Rate, gained: int, lost: int, kept: int) -> list[str]:
    whole = ItemQuality("all", "", "", right.n, right, wrong, none, Paired(gained, lost, right.n))
    return list(warnings(Quality("m", "p", whole, (), (), ()), kept))


def test_the_notebooks_questions_give_no_warning_but_that_some_can_be_guessed() -> None:
    """387 and 155 of 430, with the right section alone and with a wrong one."""
    assert worth(Rate(387, 430), Rate(155, 430), Rate(110, 430), 250, 18, 387) == []
    [warning] = worth(Rate(387, 430), Rate(155, 430), Rate(155, 430), 250, 18, 387)
    assert warning.startswith("Some can be guessed, or are known: without any record accuracy is 0.36 [0.32, 0.41]")


@pytest.mark.parametrize(
    ("right", "wrong", "gained", "lost", "sentence"),
    [
        (30, 25, 10, 5, "not significantly better than guessing (0.25): 0.30"),
        (60, 62, 5, 7, "can be answered without reading: accuracy is 62% with a wrong section and 60% with"),
        (60, 55, 10, 5, "These questions may not require reading: the right section gains +0.05"),
    ],
)
def test_questions_that_measure_little_are_reported(
    right: int, wrong: int, gained: int, lost: int, sentence: str
) -> None:
    [warning] = worth(Rate(right, 100), Rate(wrong, 100), Rate(25, 100), gained, lost, 60)
    assert sentence in warning


def test_few_questions_are_reported() -> None:
    [warning] = worth(Rate(40, 80), Rate(10, 80), Rate(0, 0), 35, 5, 40)
    assert warning.startswith(
        "40 questions are kept, few for a collage: the 95% interval of an accuracy over 40 answers reaches up to 15 "
        "points to either side."
    )
    assert worth(Rate(0, 0), Rate(0, 0), Rate(0, 0), 0, 0, 1)[0].startswith(
        "1 question is kept, few for a collage: the 95% interval of an accuracy over 1 answer reaches up to"
    )
