"""When an answer stands in a text."""

import pytest

from longctx.vocabulary.bank import gives_away
from longctx.vocabulary.occurrence import core, occurs, occurs_verbatim, plain

TEXT = plain("The fee is 1,250.50 crowns. Visitors’ dogs – all of them – stay outside, because the floor is wet.")


@pytest.mark.parametrize(
    ("one", "two"),
    [("Visitors' dogs", "visitors’  dogs"), ("1,250 crowns", "1250 crowns"), ("(a) The Agency's", "a the agency")],
)
def test_plain_text_forgets_how_things_are_set(one: str, two: str) -> None:
    assert plain(one) == plain(two)


def test_a_decimal_is_another_number() -> None:
    assert plain("1.5 hours") != plain("15 hours")
    assert not occurs_verbatim("15 hours", plain("It takes 1.5 hours."))


@pytest.mark.parametrize(
    ("answer", "verbatim"),
    [
        ("Because the floor is wet.", True),
        ("1250.50 crowns", True),
        ("250.50 crowns", False),
        ("The floor", True),
        ("The flo", False),
        ("A wet floor", False),
    ],
)
def test_an_answer_is_verbatim(answer: str, verbatim: bool) -> None:
    assert occurs_verbatim(answer, TEXT) is verbatim


def test_an_answer_that_is_paraphrased_counts_too_but_not_one_of_other_things() -> None:
    assert occurs("A floor that is wet", TEXT)
    assert not occurs("Loose stones on the stairs", TEXT)
    assert not occurs("A", TEXT)


def test_the_core_leaves_out_what_ties_an_answer_to_its_question() -> None:
    assert core("Because of the wet floor") == core("The wet floor") == "wet floor"


@pytest.mark.parametrize(
    ("right", "wrong", "away"),
    [
        ("x" * 60, ["x" * 30, "x" * 35, "x" * 36], True),
        ("x" * 20, ["x" * 35, "x" * 40, "x" * 60], True),
        ("x" * 45, ["x" * 30, "x" * 35, "x" * 36], False),
        ("120 days", ["8 days", "9 days", "7 days"], False),
    ],
)
def test_length_gives_away(right: str, wrong: list[str], away: bool) -> None:
    assert gives_away(right, wrong) is away
