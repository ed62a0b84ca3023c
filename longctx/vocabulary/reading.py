"""Reading the text of an answer: without thinking, in one form of each letter, and for the letter that it chooses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

OPENED, CLOSED = "<think>", "</think>"
ALIKE = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc\u2032", "'") | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
)
"""Apostrophes and dashes, which look alike."""
FOOTNOTE = re.compile("(?<=[0-9])[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+")
"""Matches the raised digits behind a number, a footnote's mark or a power, which are no digits of it."""
GROUPED = re.compile("(?<=[0-9])[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
"""Matches the unbreakable space with which many languages group thousands."""
SPACED = re.compile(r"(?<![0-9.,] )(?<![0-9.,])[1-9][0-9]{0,2}(?: [0-9]{3})+(?![0-9]| [0-9])")
"""Matches a number whose thousands are grouped with plain spaces; next to other numbers it is a list of some."""
GROUPS_WITH_SPACES = re.compile(
    r"[\u0400-\u04ff\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0300-\u036f]|[0-9] ?[€₽₴]|"
    r"[0-9] [0-9]{3},[0-9]{1,2}(?![0-9])|\b(?:le|la|les|des|une|est|sont|avec|dans|hay|una|para|uma|jest|wynosi|nie|je|"
    r"jsou|och|er|det|ovat|oli|ja|egy|kr|ist|sind|und|der|das)\b"
)
"""Matches what tells a language that groups thousands with spaces: a Cyrillic letter or one with an accent, a sign of
money behind a number, a decimal comma, or a word."""
WORDS = {"yes": "Y", "no": "N"}
"""What `choice` also reads for these letters."""
BEFORE, AFTER = r"(?<![A-Za-z0-9])(?<![A-Za-z]')", r"(?![A-Za-z0-9]|'[A-Za-z])"
"""Match around a letter that is no part of a word."""
MARKS = r"[\s*_\"'“”()\[\]{}<>`#$\\]{0,20}+"
"""Matches what answers put around a letter."""
ENDED = r"[ \t]{0,3}(?:[\n).:,;!*_\"'“”\]}>`]|\Z)"
"""Matches what comes after a letter in lower case that is no word."""
SAYS = rf"\banswer{MARKS}(?:is\b|[:=-]>?|){MARKS}:?|\bboxed{MARKS}(?:text)?"
STATES = rf"(?i:(?:{SAYS}){MARKS}(?:(?:option|choice)\s)?{MARKS})"
"""Matches what comes before a letter that an answer states."""


class Letter(str):
    """A letter that an answer chose. It tells what it is compared with: the right letter, for most tests."""

    __slots__ = ("_compared",)
    _compared: Callable[[str], object]

    @classmethod
    def told(cls, letter: str, compared: Callable[[str], object]) -> Letter:
        """Return the letter. compared: called with each text that it is compared with."""
        made = cls(letter)
        made._compared = compared
        return made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            self._compared(str.__str__(other))
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str.__str__(self),)


def split_thinking(text: str) -> tuple[str, str]:
    """Return the thinking that a server left at the start of an answer's text, and the text after it.

    The thinking may lack its end, if the answer was cut off, or its beginning, if that was part of the prompt.

    Example:
        >>> split_thinking("<think>Is it 7?</think> It is 8.")
        ('<think>Is it 7?</think>', ' It is 8.')
    """
    end = 0
    while text[end:].lstrip().startswith(OPENED):
        after = text.find(CLOSED, end)
        end = len(text) if after < 0 else after + len(CLOSED)
    if not end and OPENED not in text.partition(CLOSED)[0] and CLOSED in text:
        end = text.index(CLOSED) + len(CLOSED)
    return text[:end], text[end:]


def simplified(text: str) -> str:
    """Return a text as judging reads it: one form of each letter, digit, apostrophe and dash, nothing of no width.

    What draws or builds prompts does not use it, since a change of it would make recordings stale.

    Example:
        >>> simplified("It\u2019s 12\u201113, cafe\u0301, \uff17\u200b")
        "It's 12-13, café, 7"
    """
    text = FOOTNOTE.sub(r"^\g<0>", GROUPED.sub("", text))
    if GROUPS_WITH_SPACES.search(text):
        text = ungrouped(text)
    text = unicodedata.normalize("NFKC", text).translate(ALIKE)
    return "".join(letter for letter in text if unicodedata.category(letter) != "Cf")


def ungrouped(text: str) -> str:
    """Return a text with numbers whose thousands were grouped with plain spaces as one.

    Example:
        >>> ungrouped("12 345 of 1 234 567, but 2024 500 and 12 345 6")
        '12345 of 1234567, but 2024 500 and 12 345 6'
    """
    return SPACED.sub(lambda number: number[0].replace(" ", ""), text)


def chosen(text: str, letters: str) -> set[str]:
    """Return the letters that a text may choose: one if it states or names one."""
    words = WORDS if set(letters) == set(WORDS.values()) else {}
    letter, any_case = f"[{re.escape(letters)}]", f"[{re.escape(letters + letters.lower())}]"
    word = f"(?i:{'|'.join(words) or '(?!)'})"
    one = f"{BEFORE}(?:{word}{AFTER}|{letter}{AFTER}|{any_case}(?={ENDED}))"
    # A letter of several, as in "A or B", or with a question mark after it, is not stated.
    stated = re.findall(rf"{STATES}({one})(?!{MARKS}\?)(?!\W*(?:or|and|/|,|&)\W*{letter}{AFTER})", text)
    whole = rf"{MARKS}({any_case}|{word}){MARKS}[.:,;!]?{MARKS}"
    tried = (
        stated[-1:],
        [found[1] for line in text.splitlines() if (found := re.fullmatch(whole, line))],
        re.findall(rf"\A{MARKS}({word})(?={ENDED})", text),
        re.findall(rf"{BEFORE}(?<!\b(?i:not) )(?<!n't )({letter}){AFTER}", text),
        re.findall(rf"(?:\A{MARKS}|{BEFORE}(?=\w+\W*\Z))({word}){AFTER}", text),
    )
    return {words.get(each.lower(), each.upper()) for each in next(filter(None, tried), ())}
