"""Bands that no run can pass: what a guess reaches."""

from __future__ import annotations

from dataclasses import replace

from longctx.compare.pairs import guessing_of
from longctx.registry import shipped
from tests.rows import row


def test_guessing_is_the_best_constant_answer_where_that_is_more_than_chance() -> None:
    collage = shipped()["collage"]
    letters = [row("correct", test="collage", expected=letter) for letter in "DDDDABCD"]
    assert guessing_of(collage, letters) == 0.625
    assert guessing_of(collage, [row("correct", test="collage", expected=letter) for letter in "ABCD" * 3]) == 0.25
    assert guessing_of(collage, [replace(each, expected=None) for each in letters], letters) == 0.625
    assert guessing_of(None, letters, stated=0.5) == 0.5
    assert guessing_of(None, [replace(each, trace={"choices": 4}) for each in letters], stated=0.5) == 0.625
