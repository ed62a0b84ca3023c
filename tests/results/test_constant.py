"""The best constant answer: which letter is right most often, and when that is worth a word."""

from __future__ import annotations

from dataclasses import replace

from longctx.registry import shipped
from longctx.results.constant import CHOICES, best_constant, choices_of, guessing_of, notable_constant
from longctx.results.row import Row
from tests.rows import row


def lettered(right: str, **fields: object) -> list[Row]:
    return [row("wrong", expected=letter, trial=trial, **fields) for trial, letter in enumerate(right)]


def test_it_is_the_letter_that_is_right_most_often_whatever_was_answered() -> None:
    constant = best_constant(*choices_of(lettered("DDDDABCD"), 4))
    assert constant is not None
    assert (constant.answer, constant.right, constant.n, constant.share) == ("D", 5, 8, 0.625)
    assert str(constant) == "D 0.62"


def test_it_is_notable_above_one_in_the_choices_and_a_twentieth() -> None:
    assert notable_constant(lettered("ABCD" * 5 + "D"), 4) is None
    assert notable_constant(lettered("D" * 6 + "ABC" * 4), 4) is not None
    assert notable_constant(lettered("Y" * 11 + "N" * 9), 2) is None


def test_trials_that_choose_no_letter_have_none() -> None:
    assert notable_constant(lettered("DDDD")) is None
    assert notable_constant([], 4) is None
    assert notable_constant([row("not_asked", expected="D"), row("wrong")], 4) is None


def test_test_functions_say_so_in_their_traces() -> None:
    constant = notable_constant([*lettered("DDDA", trace={CHOICES: 4}), *lettered("AAAA")])
    assert constant is not None
    assert (constant.answer, constant.n, constant.choices) == ("D", 4, 4)


def test_guessing_is_the_best_constant_answer_where_that_is_more_than_chance() -> None:
    collage = shipped()["collage"]
    letters = [row("correct", test="collage", expected=letter) for letter in "DDDDABCD"]
    assert guessing_of(collage, letters) == 0.625
    assert guessing_of(collage, [row("correct", test="collage", expected=letter) for letter in "ABCD" * 3]) == 0.25
    assert guessing_of(collage, [replace(each, expected=None) for each in letters], letters) == 0.625
    assert guessing_of(None, letters, stated=0.5) == 0.5
    assert guessing_of(None, [replace(each, trace={"choices": 4}) for each in letters], stated=0.5) == 0.625
