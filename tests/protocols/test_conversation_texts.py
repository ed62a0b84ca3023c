"""The texts of a conversation: what they are made of, and how alike they are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.protocols import conversation_texts as texts
from longctx.protocols.conversation import GIVEN_BACK, RECOGNISED, Match, most_alike, ordinal, probe, published
from longctx.vocabulary.stream import frozen_stream


def drawn(count: int, seed: int) -> texts.Rows:
    rows: texts.Rows = frozen_stream(seed).randint(0, 2**31, (count, texts.COLUMNS), dtype=np.int64) % texts.sizes()
    return rows


def test_there_are_parts_for_eight_texts_that_share_none() -> None:
    kinds, subjects, *rest = texts.sizes()
    assert (kinds, subjects) == (10, 229)
    assert rest == [8, 8, *[40] * 12]
    have = texts.lists()
    for entries in (have.before + have.after, have.ends, have.parts[0]):
        flat = entries.ravel().tolist()
        assert len(set(flat)) == len(flat)


def test_a_text_is_a_beginning_four_sentences_and_an_end() -> None:
    [text] = texts.texts(np.zeros((1, texts.COLUMNS), dtype=np.int64))
    assert text == (
        "NOTICE. This concerns almanacs in every street of the town."
        + 4 * " On the second market day, the ferryman counted nine grey lanterns."
        + " Posted by the wardens of the lower town."
    )


def test_the_sentences_of_a_poem_are_in_lines() -> None:
    row = np.zeros((1, texts.COLUMNS), dtype=np.int64)
    row[0, 0] = texts.lists().kinds.index("poem")
    assert [line.count(" ") for line in texts.texts(row)[0].split("\n")] == [6, 10, 10, 10, 10, 4]


@given(st.integers(0, 2**40))
def test_pieces_are_as_long_as_their_texts(seed: int) -> None:
    rows = drawn(5, seed)
    assert texts.lengths(texts.pieces(rows)).sum(axis=1).tolist() == [len(text) for text in texts.texts(rows)]


def test_a_probe_has_all_sentence_parts_equally_often() -> None:
    parts = probe(20)[:, 4:].reshape(20, texts.SENTENCES, len(texts.PARTS))
    for part in range(len(texts.PARTS)):
        assert np.bincount(parts[:, :, part].ravel(), minlength=40).tolist() == [2] * 40
    assert np.bincount(probe(20)[:, 0]).tolist() == [2] * 10


@settings(max_examples=10)
@given(st.integers(0, 2**40))
def test_no_two_texts_are_taken_for_each_other(seed: int) -> None:
    written = texts.texts(drawn(8, seed))
    for first, second in itertools.permutations(written, 2):
        assert most_alike(first, [second]) is None
        assert published(first, second) < 0.5


@given(st.integers(0, 2**40), st.integers(0, 7), st.integers(0, 20))
def test_a_text_with_words_left_out_is_recognised(seed: int, place: int, lost: int) -> None:
    written = texts.texts(drawn(8, seed))
    words = written[place].split()
    match = most_alike(" ".join(words[lost:]), written)
    assert match is not None
    assert (match.place, match.given_back) == (place, 2 * (len(words) - lost) / (2 * len(words) - lost) >= GIVEN_BACK)
    assert most_alike(" ".join(words[: len(words) // 4]), written) is None


@pytest.mark.parametrize(("same", "alike"), [(10, 1.0), (9, 0.9), (8, 0.8), (5, 0.5), (4, None), (0, None)])
def test_how_much_is_the_same(same: int, alike: float | None) -> None:
    words = [f"w{number}" for number in range(10)]
    match = most_alike(" ".join([*words[:same], *"abcdefghij"[same:]]), ["no", " ".join(words)])
    assert match == (None if alike is None else Match(1, alike))
    assert match is None or match.given_back == (alike >= GIVEN_BACK)
    assert (RECOGNISED, GIVEN_BACK) == (0.5, 0.9)


def test_the_score_is_that_of_the_source() -> None:
    """difflib's own example of what it calls a ratio."""
    assert published("abcd", "bcde") == 0.75
    assert published("", "") == 1


@pytest.mark.parametrize(("number", "said"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (8, "8th")])
def test_ordinals(number: int, said: str) -> None:
    assert ordinal(number) == said
