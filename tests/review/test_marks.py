"""Where answers stand in a section."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longctx.review.marks import MarkedText, marked, places
from longctx.vocabulary.occurrence import occurs_verbatim, plain
from tests.corpus.examples import HARBOR, question
from tests.review.examples import questions

TEXT = "The Quay’s\n  end, “1,200 barges”; at the quay end."


def found(answer: str, text: str = TEXT) -> list[str]:
    return [text[start:end] for start, end in places(answer, text)]


def test_places_are_found_whatever_case_and_punctuation() -> None:
    assert found("the quay end") == ["Quay’s\n  end", "quay end"]
    assert found("1200 Barges.") == ["1,200 barges"]
    assert found("the ferry") == found("—") == found("x" * 100_000) == []


def test_all_answers_are_marked_and_nothing_of_the_text_is_lost() -> None:
    parts = marked(HARBOR, questions()[1])
    assert "".join(part.text for part in parts) == HARBOR
    assert [part for part in parts if part.answer] == [
        MarkedText("northern quay", "wrong"),
        MarkedText("Ellery Dredging", "right"),
    ]


def test_of_answers_that_overlap_the_right_one_is_marked() -> None:
    asked = question(right="the northern quay", wrong=("northern", "quay. The contractor", "a"))
    parts = marked(HARBOR, asked)
    assert [part for part in parts if part.answer] == [MarkedText("northern quay", "right")]


def test_characters_that_do_not_show_are_written_out() -> None:
    [part] = marked("a\u202e\x1b\tb\n", question())
    assert part.text == "a\\u202e\\x1b\tb\n"


WORDS = st.text(st.sampled_from("ab1,.’'s- \n"), max_size=30)


@given(WORDS, WORDS)
def test_an_answer_has_a_place_where_it_is(answer: str, text: str) -> None:
    if plain(answer):
        assert bool(places(answer, text)) == occurs_verbatim(answer, plain(text))
