"""Draws without repetition, and a filler with lines between its repetitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.haystack import AnswerBegun, fillers_in, haystack, places
from longctx.vocabulary.stream import distinct, frozen_stream, letters, numbers


def test_names_and_numbers_never_change() -> None:
    stream = frozen_stream("names")
    assert letters(stream, "A", 5, 3) == ["BVUZP", "RSEJT", "SJVVA"]
    assert letters(stream, "a", 6, 2) == ["izyess", "hjfcbr"]
    assert numbers(stream, 7, 2) == ["8293419", "4517465"]


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 9))
def test_numbers_have_their_digits(seed: int, digits: int, count: int) -> None:
    drawn = numbers(frozen_stream(seed), digits, count)
    assert [len(number) for number in drawn] == [digits] * count


def test_what_is_drawn_twice_is_kept_once() -> None:
    draws = iter(["a", "b", "a", "c", "b", "d"])
    assert distinct(lambda more: [next(draws) for _ in range(more)], 4) == ["a", "b", "c", "d"]


@given(st.integers(0, 300), st.data())
def test_places_differ_and_rise(fillers: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, fillers + 1))
    drawn = places(frozen_stream("places", fillers, count), fillers, count)
    assert drawn == sorted(set(drawn))
    assert len(drawn) == count
    assert 0 <= drawn[0] <= drawn[-1] <= fillers


def test_places_are_about_the_same_in_texts_of_other_lengths() -> None:
    short, long = (places(frozen_stream("shares"), fillers, 3) for fillers in (1000, 1010))
    assert all(abs(a / 1000 - b / 1010) < 0.002 for a, b in zip(short, long, strict=True))


@given(st.integers(0, 30), st.lists(st.integers(0, 30), max_size=6))
def test_statements_are_where_they_should(fillers: int, drawn: list[int]) -> None:
    statements = [(min(place, fillers), f"S{number}") for number, place in enumerate(sorted(drawn))]
    text, starts = haystack("filler", fillers, statements)
    lines = text.split("\n") if text else []
    assert lines.count("filler") == fillers
    assert len(lines) == fillers + len(statements)
    for (place, statement), start in zip(statements, starts, strict=True):
        assert text[start:].startswith(statement)
        assert text[:start].count("filler") == place


def test_a_prompt_is_filled_around_its_context() -> None:
    words = {
        "prompt": "Find {key}.\n{context}\nWhere is {key}?",
        "prefill": "{key}:",
        "without_prefill": "Say {prefill}",
    }
    prompt = AnswerBegun.filled(words, {"key": "a"}, "{key} in {context}")
    assert prompt.text == "Find a.\n{key} in {context}\nWhere is a?"
    assert prompt.text[len(prompt.before) :].startswith("{key} in {context}\n")
    assert (prompt.prefill, prompt.without_prefill) == ("a:", "Say a:")


def test_a_window_too_small_is_refused_and_told_how_large_it_must_be() -> None:
    assert fillers_in(200, 100, 25, least=4) == 4
    with pytest.raises(ValueError, match=r"window of 199 tokens is too small: .* take 101, and 4 .*: use at least 201"):
        fillers_in(199, 100.5, 25, least=4)
