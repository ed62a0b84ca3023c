"""Quotes in a scratchpad."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.collages import QuoteCount, count, look_up, quotes, scratchpad

NEEDLE = "The harbour office collects seven crowns a barge, and closes its gates at noon on feast days."
RECORD = f"A fee of nine crowns is due at the northern lock before the end of March.\n\n\n\n{NEEDLE}"


@pytest.mark.parametrize(
    ("text", "pad"),
    [
        ("<scratchpad>a b</scratchpad><Answer>A</Answer>", "a b"),
        ("<scratchpad>a b<Answer>A</Answer>", "a b"),
        ("<Scratchpad >a b", "a b"),
        ("no pad", ""),
    ],
)
def test_scratchpad(text: str, pad: str) -> None:
    assert scratchpad(text) == pad


def test_quotes_are_marked_or_else_lines() -> None:
    assert quotes('He says "one two three four" and “five six seven eight nine”.') == [
        "one two three four",
        "five six seven eight nine",
    ]
    assert quotes("1. one two three four\n- five six seven eight\n\nshort") == [
        "one two three four",
        "five six seven eight",
    ]


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("collects seven crowns a barge, and closes its gates", QuoteCount(1, 1, 1)),
        ("Collects SEVEN crowns - a barge and closes its gates", QuoteCount(1, 1, 1)),
        ("a fee of nine crowns is due at the northern lock", QuoteCount(1, 1, 0)),
        ("the harbour master wears a green hat in winter", QuoteCount(1, 0, 0)),
    ],
)
def test_where_a_quote_is(quote: str, expected: QuoteCount) -> None:
    assert count(look_up(f'<scratchpad>"{quote}"</scratchpad>', RECORD, NEEDLE)) == expected


@given(st.text(), st.text())
def test_any_reply_can_be_counted(reply: str, record: str) -> None:
    counted = count(look_up(f"<scratchpad>{reply}", record, ""))
    assert counted.quotes >= counted.in_record >= counted.in_needle == 0


words = st.lists(st.sampled_from(["a", "b", "A", "ab", "Σ", ", ", "\n\n", "\n\n\n\n", " "]), max_size=30).map(" ".join)


@given(words, words, words)
def test_a_quote_is_held_against_the_runs_of_four_words(quote: str, record: str, needle: str) -> None:
    def share(text: str) -> float:
        runs = [
            set(itertools.pairwise(itertools.pairwise(itertools.pairwise(split(passage))))) for passage in (quote, text)
        ]
        return len(runs[0] & runs[1]) / len(runs[0])

    def split(text: str) -> list[str]:
        return re.findall(r"\w+", text.lower())

    for quotation in look_up(f'<scratchpad>"{quote}"', record, needle):
        assert (quotation.in_record, quotation.in_needle) == (share(record) >= 0.8, share(needle) >= 0.8)
