"""Hostile text is made visible."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.text import HIDDEN, visible

UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
ANY = st.text(st.characters(codec=None, exclude_categories=()))


@given(ANY)
def test_nothing_unseen_is_left(text: str) -> None:
    shown = visible(text)
    assert not [character for character in shown if unicodedata.category(character) in UNSEEN or character in HIDDEN]
    shown.encode("utf-8")


@given(ANY)
def test_what_is_visible_stays(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain, ü, 漢, \U0001f600, a\xa0space", "plain, ü, 漢, \U0001f600, a\xa0space"),
        ("C:\\temp", "C:\\temp"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b31m\x7f\x00", "\\x9b31m\\x7f\\x00"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("user\u202etxt.exe", "user\\u202etxt.exe"),
        ("\u2066a\u2069\u200b\u200d\ufeff\xad", "\\u2066a\\u2069\\u200b\\u200d\\ufeff\\xad"),
        ("a\U000e0041\U000e0101\ufe0f\u3164", "a\\U000e0041\\U000e0101\\ufe0f\\u3164"),
        ("\ud800\u2028", "\\ud800\\u2028"),
    ],
)
def test_escapes(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_lines_may_stay_lines() -> None:
    assert visible("a\n\tb\r\x1b", keep="\n\t") == "a\n\tb\\r\\x1b"
